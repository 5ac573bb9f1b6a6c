package org.keyline.gateway.views;

import org.keyline.gateway.config.LiveConfig;
import org.keyline.gateway.slow.SlowLog;

/**
 * What sessions need so that their clients can look into the gateway.
 *
 * @param reads runs reads of views
 * @param clients hears of sessions
 * @param config who may look and change something, and what they may change
 * @param slow hears of statements that took long
 */
public record Insight(ViewReads reads, Clients clients, LiveConfig config, SlowLog slow) {}
