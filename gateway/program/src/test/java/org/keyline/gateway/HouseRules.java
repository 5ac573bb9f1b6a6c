package org.keyline.gateway;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import org.jspecify.annotations.NullMarked;

/** Conditions of the house rules that ArchUnit does not provide. Immutable. */
final class HouseRules {
    static final ArchCondition<JavaClass> BE_FINAL_OR_OPEN_BY_DESIGN =
            new ArchCondition<>("be final, abstract or sealed") {
                @Override
                public void check(JavaClass type, ConditionEvents events) {
                    boolean closed = type.getModifiers().contains(JavaModifier.FINAL)
                            || type.getModifiers().contains(JavaModifier.ABSTRACT)
                            || type.reflect().isSealed();
                    if (!closed) {
                        events.add(SimpleConditionEvent.violated(
                                type, type.getName() + " is neither final, abstract nor sealed"));
                    }
                }
            };

    static final ArchCondition<JavaClass> LIVE_IN_A_NULL_MARKED_PACKAGE =
            new ArchCondition<>("live in a @NullMarked package") {
                @Override
                public void check(JavaClass type, ConditionEvents events) {
                    if (!type.getPackage().isAnnotatedWith(NullMarked.class)) {
                        events.add(SimpleConditionEvent.violated(
                                type, "package of " + type.getName() + " is not @NullMarked"));
                    }
                }
            };

    private HouseRules() {}
}
