package org.keyline.gateway.views;

import org.keyline.gateway.config.LiveConfig;
import org.keyline.gateway.slow.SlowLog;

/**
 * The means by which sessions show the gateway's state to their clients.
 *
 * @param reads runs reads of views
 * @param clients receives sessions
 * @param config decides who may read or change what
 * @param slow receives slow statements
 */
public record Insight(ViewReads reads, Clients clients, LiveConfig config, SlowLog slow) {}
