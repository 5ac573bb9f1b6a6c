/**
 * Lines of rows under key prefixes, their loads and their fences. Bytes in, bytes out; knows no schema.
 */
@NullMarked
package org.keyline.rowcache;

import org.jspecify.annotations.NullMarked;
