/** Reads the configuration from YAML and the command line. Reports all problems at once. */
@NullMarked
package org.keyline.gateway.config;

import org.jspecify.annotations.NullMarked;
