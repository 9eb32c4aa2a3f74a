package verify

import (
	"context"

	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// importPost writes the record and the redirect of an imported post.
func importPost(ctx context.Context, w *world) error {
	record := domain.Import{UserID: w.ada.ID, PostID: w.post.ID, Digest: "x", Done: true, Paths: []string{"/old"}}
	if err := w.Imports.Put(ctx, record); err != nil {
		return err
	}
	if _, err := w.Redirects.Put(ctx, domain.Redirect{Path: "/old", OwnerID: w.ada.ID, PostID: w.post.ID}); err != nil {
		return err
	}
	return importList(ctx, w, "/@/archive/2019")
}

// importList writes the record and the redirect of an imported list.
func importList(ctx context.Context, w *world, to string) error {
	record := domain.Import{UserID: w.ada.ID, PostID: domain.ImportedID(w.ada.ID, "lists"), Digest: "x", Done: true,
		Paths: []string{"/list"}}
	if err := w.Imports.Put(ctx, record); err != nil {
		return err
	}
	_, err := w.Redirects.Put(ctx, domain.Redirect{Path: "/list", OwnerID: w.ada.ID, To: to})
	return err
}

// putRequests writes the item of a user whose imports claimed addresses.
func putRequests(item func(*world) anyItem) func(context.Context, *world) error {
	return func(ctx context.Context, w *world) error {
		i := item(w)
		i["type"], i["queue"] = schema.TypeAddressOwner, schema.AddressQueue
		return w.putItem(ctx, w.Container(schema.ModerationContainer), schema.AddressQueue, i)
	}
}

func brokenRedirects() []brokenCase {
	return []brokenCase{
		{ruleTypes, "an unknown type in redirects", `redirects item x: type "y"`,
			func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.RedirectsContainer), anyItem{"id": "x", "type": "y"})
			}},
		{ruleTypes, "a redirect without a valid destination",
			`redirect from /list: it leads to post "" and to "/settings"`,
			func(ctx context.Context, w *world) error {
				return importList(ctx, w, "/settings")
			}},
		{ruleTypes, "a redirect with two destinations", `and to "/@"`,
			after(importPost, func(ctx context.Context, w *world) error {
				return w.Container(schema.RedirectsContainer).Patch(ctx, schema.RedirectID("/old"),
					schema.RedirectID("/old"), set("/to", "/@"))
			})},
		{ruleIDs, "a redirect with another id", "redirect from /old: it is found as x",
			after(importPost, func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.RedirectsContainer),
					anyItem{"id": "x", "type": "redirect", "path": "/old", "ownerId": w.ada.ID, "postId": w.post.ID})
			})},
		{ruleIDs, "a record of an import with another id", "it is the record of post",
			func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.UsersContainer),
					anyItem{"id": "import.x", "userId": w.ada.ID, "type": "import", "postId": w.post.ID})
			}},
		{ruleOrphans, "a redirect without a record", "redirect from /old: no import of user",
			after(importPost, func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Delete(ctx, w.ada.ID, schema.ImportID(w.post.ID))
			})},
		{ruleOrphans, "a redirect to another user's post", "and post ",
			after(importPost, func(ctx context.Context, w *world) error {
				record := domain.Import{UserID: w.bob.ID, PostID: w.post.ID, Paths: []string{"/bobs"}}
				if err := w.Imports.Put(ctx, record); err != nil {
					return err
				}
				_, err := w.Redirects.Put(ctx, domain.Redirect{Path: "/bobs", OwnerID: w.bob.ID, PostID: w.post.ID})
				return err
			})},
		{ruleOrphans, "records of an unknown user", "imports of nobody: there is no such user",
			func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.UsersContainer),
					anyItem{"id": schema.ImportID(w.post.ID), "userId": "nobody", "type": "import",
						"postId": w.post.ID})
			}},
		{ruleCounts, "a wrong number of requested addresses",
			"its type is address-owner with 0 requests counted, 1 exist",
			putRequests(func(w *world) anyItem {
				return anyItem{"id": w.ada.ID, "userId": w.ada.ID, "addresses": []any{anyItem{"path": "/about"}}}
			})},
		{ruleIDs, "requested addresses with another id", "it is of user ",
			putRequests(func(w *world) anyItem { return anyItem{"id": "x", "userId": w.ada.ID} })},
		{ruleOrphans, "requested addresses of an unknown user",
			"moderation item nobody of addresses: there is no such user",
			putRequests(func(*world) anyItem { return anyItem{"id": "nobody", "userId": "nobody"} })},
		{ruleExpiry, "a redirect", "redirect from /old", after(importPost, func(ctx context.Context, w *world) error {
			return w.Container(schema.RedirectsContainer).Patch(ctx, schema.RedirectID("/old"),
				schema.RedirectID("/old"), set("/ttl", 60))
		})},
	}
}
