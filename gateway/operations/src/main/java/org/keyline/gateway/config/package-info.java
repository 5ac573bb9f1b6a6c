/**
 * Configuration: a tree of immutable records, read from YAML and the command line. All problems are
 * reported at once.
 */
@NullMarked
package org.keyline.gateway.config;

import org.jspecify.annotations.NullMarked;
