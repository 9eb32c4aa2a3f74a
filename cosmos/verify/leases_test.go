package verify

import (
	"context"
	"strings"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/cosmos/schema"
)

func brokenLeases() []brokenCase {
	lease := func(name string, says string, properties func(w *world) anyItem) brokenCase {
		return brokenCase{ruleLeases, name, says, func(ctx context.Context, w *world) error {
			return w.setLease(ctx, "posts", properties(w))
		}}
	}
	return []brokenCase{
		{ruleTiling, "a gap", `processor posts: no lease covers the range from "" to "1F"`,
			func(ctx context.Context, w *world) error {
				return w.Container(schema.LeasesContainer).Delete(ctx, w.leaseID("posts"), w.leaseID("posts"))
			}},
		{ruleTiling, "a missing end", `processor posts: no lease covers the range from "1F" to "FF"`,
			func(ctx context.Context, w *world) error {
				id := schema.LeaseID("posts", feeds.Range{MinInclusive: "1F", MaxExclusive: "FF"})
				return w.Container(schema.LeasesContainer).Delete(ctx, id, id)
			}},
		{ruleTiling, "an overlap", `from "1F" to "3F" is covered twice`,
			func(ctx context.Context, w *world) error {
				return w.Leases.Create(ctx, feeds.Lease{Processor: "posts",
					Range: feeds.Range{MinInclusive: "", MaxExclusive: "3F"}})
			}},
		{ruleTiling, "a processor without leases", "processor users: it has no leases",
			func(ctx context.Context, w *world) error {
				return inTurn(ctx, w, func(ctx context.Context, w *world) error {
					return w.Container(schema.LeasesContainer).Delete(ctx, w.leaseID("users"), w.leaseID("users"))
				}, func(ctx context.Context, w *world) error {
					id := schema.LeaseID("users", feeds.Range{MinInclusive: "1F", MaxExclusive: "FF"})
					return w.Container(schema.LeasesContainer).Delete(ctx, id, id)
				})
			}},
		{ruleLeases, "a lease with another id", "lease x: its id should be posts..-1F",
			func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.LeasesContainer),
					anyItem{"id": "x", "type": "lease", "processor": "posts", "minInclusive": "", "maxExclusive": "1F"})
			}},
		{ruleLeases, "a lease of an empty range", `it is of the empty range from "1F" to "1F"`,
			func(ctx context.Context, w *world) error {
				return w.Leases.Create(ctx, feeds.Lease{Processor: "posts",
					Range: feeds.Range{MinInclusive: "1F", MaxExclusive: "1F"}})
			}},
		lease("of another container", "it is of container other, which is now ",
			func(*world) anyItem { return anyItem{"container": "other"} }),
		lease("with an owner that never renewed it", "one owns it, and never renewed it",
			func(*world) anyItem { return anyItem{"owner": "one"} }),
		lease("renewed in the future", "which is in the future", func(*world) anyItem {
			return anyItem{"owner": "one", "renewed": time.Now().Add(2 * time.Hour)}
		}),
		lease("with a malformed continuation", "its continuation: not a token",
			func(*world) anyItem { return anyItem{"continuation": `"17"`} }),
		lease("with a continuation of another container", `its continuation: it is of container "other"`,
			func(w *world) anyItem {
				return anyItem{"continuation": strings.ReplaceAll(w.continuation("posts", "", "1F"), w.rids["posts"],
					"other")}
			}),
		lease("with a continuation of a part of the feed range",
			`its continuation: it does not cover the range from "0F"`,
			func(w *world) anyItem {
				return anyItem{"continuation": w.continuation("posts", "", "0F", "10", "1F")}
			}),
		{ruleLeases, "a malformed continuation of a rebuild", "lease rebuild.posts..-1F: its continuation: not a token",
			func(ctx context.Context, w *world) error {
				return w.putLease(ctx, "rebuild.posts", anyItem{"continuation": "x"})
			}},
	}
}
