/** Configuration: one tree of immutable records, read from YAML and the command line, with every problem found at once. */
@NullMarked
package org.keyline.gateway.config;

import org.jspecify.annotations.NullMarked;
