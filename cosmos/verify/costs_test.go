package verify

import (
	"context"

	"inkfeed/cosmos/schema"
)

func brokenCosts() []brokenCase {
	put := func(properties anyItem) func(context.Context, *world) error {
		return func(ctx context.Context, w *world) error {
			item := anyItem{"id": "2026-03-01T00:00:00.000Z~one", "type": "costs", "span": "hour",
				"begin": "2026-03-01T00:00:00.000Z", "instance": "one", "ttl": 3600}
			for name, value := range properties {
				item[name] = value
			}
			return w.put(ctx, w.Container(schema.CostsContainer), item)
		}
	}
	return []brokenCase{
		{ruleTypes, "an unknown type in costs", `type "draft"`, put(anyItem{"type": "draft"})},
		{ruleIDs, "costs with the id of another interval", "it is the interval of one at 2026-03-01T00:30:00.000Z",
			put(anyItem{"begin": "2026-03-01T00:30:00.000Z"})},
		{ruleIDs, "costs with the id of another instance", "it is the interval of two",
			put(anyItem{"instance": "two"})},
		{ruleCosts, "costs without a time to live", "it has no time to live", put(anyItem{"ttl": -1})},
	}
}
