/** Configuration: immutable records from YAML and the command line. Reports all problems. */
@NullMarked
package org.keyline.gateway.config;

import org.jspecify.annotations.NullMarked;
