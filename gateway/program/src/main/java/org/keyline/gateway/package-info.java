/** The program: the command line, and the gateway from its parts. */
@NullMarked
package org.keyline.gateway;

import org.jspecify.annotations.NullMarked;
