package org.keyline.gateway.views;

import org.keyline.gateway.config.LiveConfig;
import org.keyline.gateway.slow.SlowLog;

/**
 * The objects by which sessions show the gateway's state to their clients.
 *
 * @param reads runs reads of views
 * @param clients receives sessions
 * @param config decides which users may read or change the gateway's state
 * @param slow receives slow statements
 */
public record Insight(ViewReads reads, Clients clients, LiveConfig config, SlowLog slow) {}
