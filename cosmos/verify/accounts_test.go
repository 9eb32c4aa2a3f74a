package verify

import (
	"context"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/names"
)

// listAccounts writes the list of accounts, as the users projector does. It leaves out users who cannot be decoded.
func listAccounts(ctx context.Context, w *world) error {
	w.ownRows = true
	return client.Scan(ctx, w.Container(schema.UsersContainer), `SELECT c.id FROM c WHERE c.type = 'user'`, nil,
		func(i anyItem) error {
			_ = w.AccountRows.Put(ctx, domain.User{ID: i["id"].(string)})
			return nil
		})
}

func soundAccounts() []soundCase {
	return []soundCase{
		{"the list of accounts", listAccounts},
		{"accounts in all states", after(listAccounts, func(ctx context.Context, w *world) error {
			err := w.addUser(ctx, "Işık_İpek", names.NameKeys("Işık_İpek")...)
			if err == nil {
				err = w.Sessions.RecordActivity(ctx, w.ada.ID, domain.ActiveDayOf(time.Now().AddDate(0, 0, 1)))
			}
			if err == nil {
				_, err = w.AccountDeletions.ScheduleDeletion(ctx, w.bob.ID, time.Now().Add(time.Hour))
			}
			w.ownRows = false
			return err
		})},
		{"a database from before there were overviews", func(ctx context.Context, w *world) error {
			w.ownRows = true
			_, err := w.Container(schema.OverviewsContainer).Client.Delete(ctx, nil)
			return err
		}},
	}
}

func brokenAccounts() []brokenCase {
	rows := func(w *world) *client.Container { return w.Container(schema.OverviewsContainer) }
	onRow := func(path string, value any) worldStep {
		return after(listAccounts, func(ctx context.Context, w *world) error {
			return rows(w).Patch(ctx, schema.AccountsOverview, w.ada.ID, set(path, value))
		})
	}
	row := func(list, id, itemType string) worldStep {
		return after(listAccounts, func(ctx context.Context, w *world) error {
			return w.putItem(ctx, rows(w), list, anyItem{"id": id, "type": itemType, "list": list})
		})
	}
	cases := []brokenCase{
		{ruleAccountRows, "an account without a row", "has no row", after(listAccounts,
			func(ctx context.Context, w *world) error {
				return rows(w).Delete(ctx, schema.AccountsOverview, w.ada.ID)
			})},
		{ruleAccountRows, "a row of a deleted account", "there is no user", after(listAccounts, deleteAda)},
		{ruleAccountRows, "a row of nobody", "there is no user", row(schema.AccountsOverview, "nobody", "account-row")},
		{ruleIDs, "a row in another list", "belongs to the list", row("others", "nobody", "account-row")},
		{ruleTypes, "an overview of something else", `type "odd"`, row(schema.AccountsOverview, "x", "odd")},
		{ruleExpiry, "a row that expires", "expires in 60", onRow("/ttl", 60)},
	}
	for path, value := range map[string]any{"/username": "bob", "/displayName": "B", "/role": "moderator",
		"/state": "suspended", "/creationDate": schema.Instant{}, "/activeDay": "2020-01-01", "/search": "eve",
		"/sortKey": "2020-01-01~"} {
		cases = append(cases, brokenCase{ruleAccountRows, "a row with a wrong " + path[1:], path[1:],
			onRow(path, value)})
	}
	return cases
}
