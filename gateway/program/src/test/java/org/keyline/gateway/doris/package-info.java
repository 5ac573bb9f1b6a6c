/**
 * The gateway in front of Apache Doris: recorded answers of a frontend in every build, a real
 * frontend on demand.
 */
@NullMarked
package org.keyline.gateway.doris;

import org.jspecify.annotations.NullMarked;
