package org.keyline.gateway.views;

import org.keyline.gateway.config.GatewayConfig;
import org.keyline.gateway.config.LiveConfig;

/**
 * What sessions need so that their clients can look into the gateway.
 *
 * @param engine runs reads of views
 * @param clients hears of sessions
 * @param access who may look, and change something
 * @param config what they may change
 */
public record Insight(ViewEngine engine, Clients clients, GatewayConfig.Access access, LiveConfig config) {}
