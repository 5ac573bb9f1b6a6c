package org.keyline.gateway.views;

import org.keyline.gateway.config.LiveConfig;
import org.keyline.gateway.metrics.GatewayMetrics;
import org.keyline.gateway.share.UserShares;
import org.keyline.gateway.slow.SlowLog;

/**
 * The objects through which sessions report to operators, follow their limits, and answer reads of
 * the gateway's state.
 *
 * @param reads runs reads of views
 * @param clients lists the clients of the sessions
 * @param config decides which users may read or change the gateway's state
 * @param slow receives slow statements
 * @param metrics counts commands
 * @param shares counts and limits each user's sessions and statements
 */
public record Insight(
        ViewReads reads, Clients clients, LiveConfig config, SlowLog slow, GatewayMetrics metrics, UserShares shares) {}
