package verify

import (
	"context"
	"time"

	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// signInBob writes a session, a secret and an e-mail address of bob's.
func signInBob(ctx context.Context, w *world) error {
	now := time.Now()
	if err := w.Sessions.Create(ctx, domain.Session{ID: "s", UserID: w.bob.ID, Created: now, LastUsed: now,
		Confirmed: now}); err != nil {
		return err
	}
	digest := domain.SecretDigest("x")
	if err := w.Secrets.Put(ctx, domain.Secret{Kind: domain.SecretReset, Digest: digest, UserID: w.bob.ID,
		Expires: now.Add(time.Hour)}); err != nil {
		return err
	}
	c, err := w.Credentials.Get(ctx, w.bob.ID)
	if err != nil {
		return err
	}
	_, err = w.EmailAddresses.Verify(ctx, c, "bob@example.org")
	return err
}

// beginEmail writes an e-mail address whose verification has started.
func beginEmail(ctx context.Context, w *world) error {
	id := schema.EmailID("carol@example.org")
	return w.put(ctx, w.Container(schema.UsersContainer),
		anyItem{"id": id, "type": "email", "userId": id, "ownerId": domain.NewUserID(nil),
			"sinceDate": schema.Instant(time.Now())})
}

func brokenSessions() []brokenCase {
	id := schema.EmailID("bob@example.org")
	return []brokenCase{
		{ruleTypes, "an unknown type in sessions", `sessions item x of x: type "thing"`,
			func(ctx context.Context, w *world) error {
				return w.putItem(ctx, w.Container(schema.SessionsContainer), "x",
					anyItem{"id": "x", "userId": "x", "type": "thing", "ttl": 5})
			}},
		{ruleIDs, "a secret in a user's partition", "a secret is a partition of its own",
			func(ctx context.Context, w *world) error {
				return w.putItem(ctx, w.Container(schema.SessionsContainer), w.bob.ID,
					anyItem{"id": "x", "userId": w.bob.ID, "type": "reset", "ttl": 5})
			}},
		{
			ruleSessions,
			"a session of a deleted account",
			"the account is deleted",
			after(deleteAda, func(ctx context.Context, w *world) error {
				used := time.Now().Add(-time.Hour)
				return w.Sessions.Create(ctx,
					domain.Session{ID: "s", UserID: w.ada.ID, Created: used, LastUsed: used, Confirmed: used})
			}),
		},
		{
			ruleIDs,
			"an address in a user's partition",
			"an address is a partition of its own",
			func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.UsersContainer),
					anyItem{"id": "email.x", "userId": w.bob.ID, "type": "email", "ownerId": w.bob.ID})
			},
		},
		{
			ruleEmails,
			"an address that finds no user",
			`the address belongs to ""`,
			after(signInBob, func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Delete(ctx, id, id)
			}),
		},
		{
			ruleEmails,
			"an address that finds another user",
			"the address belongs to \"u.",
			after(signInBob, func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, id, id, set("/ownerId", w.ada.ID))
			}),
		},
		{ruleEmails, "an address of an unknown user", "there is no user u.x",
			func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.UsersContainer),
					anyItem{"id": "email.x", "userId": "email.x", "type": "email", "ownerId": "u.x"})
			}},
		{ruleExpiry, "an address", "in 3600 seconds", after(signInBob, func(ctx context.Context, w *world) error {
			return w.Container(schema.UsersContainer).Patch(ctx, id, id, set("/ttl", 3600))
		})},
	}
}
