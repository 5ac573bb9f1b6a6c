/**
 * The gateway in front of Apache Doris: a frontend's recorded answers in every build, a real
 * frontend on demand.
 */
@NullMarked
package org.keyline.gateway.doris;

import org.jspecify.annotations.NullMarked;
