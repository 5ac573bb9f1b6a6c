package org.keyline.gateway.views;

import org.keyline.gateway.config.GatewayConfig;

/**
 * What sessions need so that their clients can look into the gateway.
 *
 * @param engine runs reads of views
 * @param clients hears of sessions
 * @param access who may look, and change something
 */
public record Insight(ViewEngine engine, Clients clients, GatewayConfig.Access access) {}
