/** Figures for OpenTelemetry, sent by the gateway itself. */
@NullMarked
package org.keyline.gateway.otlp;

import org.jspecify.annotations.NullMarked;
