package org.keyline.gateway.session;

import com.github.benmanes.caffeine.cache.Ticker;
import org.keyline.gateway.read.PointReads;
import org.keyline.gateway.session.state.TransactionChains;
import org.keyline.planner.PlanCache;

/**
 * The parts with which sessions answer reads from lines.
 *
 * @param chains decides in which transactions with a snapshot lines may answer
 * @param ticker the clock for the age of lines and for the validity of remembered replies
 */
public record CachedReads(PointReads reads, PlanCache plans, TransactionChains chains, Ticker ticker) {}
