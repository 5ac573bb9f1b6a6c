/** The program. Parses the command line, and builds the gateway from its parts. */
@NullMarked
package org.keyline.gateway;

import org.jspecify.annotations.NullMarked;
