package verify

import (
	"context"

	"inkfeed/cosmos/schema"
)

func brokenCounters() []brokenCase {
	return []brokenCase{
		{ruleTypes, "an unknown type in limits", `limits item x: type "y"`, func(ctx context.Context, w *world) error {
			return w.put(ctx, w.Container(schema.LimitsContainer), anyItem{"id": "x", "type": "y", "ttl": 60})
		}},
		{ruleCounters, "a counter without a time to live", "limits item x: it has no time to live",
			func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.LimitsContainer),
					anyItem{"id": "x", "type": "counter", "count": 1})
			}},
	}
}
