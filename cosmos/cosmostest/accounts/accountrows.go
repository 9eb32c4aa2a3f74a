package accounts

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// listed returns the rows that a filter selects, of all pages.
func (s *suite) listed(t *testing.T, f domain.AccountFilter) (rows []domain.AccountRow) {
	t.Helper()
	for after := domain.Place(""); ; after = rows[len(rows)-1].Place() {
		page := fixture.Must[domain.ListPage[domain.AccountRow]](t)(s.AccountRows.List(t.Context(), f, after))
		if rows = append(rows, page.Items...); !page.More {
			return rows
		}
	}
}

// put projects the present state of a user and returns it.
func (s *suite) put(t *testing.T, userID string) domain.User {
	t.Helper()
	u := fixture.Must[domain.User](t)(s.Users.Account(t.Context(), userID))
	fixture.Check(t, s.AccountRows.Put(t.Context(), u))
	return u
}

func (s *suite) accountRows(t *testing.T) {
	ctx, rows := t.Context(), s.Container(schema.OverviewsContainer)
	// wantRow checks the only row of a user.
	wantRow := func(t *testing.T, u domain.User, change func(*domain.AccountRow)) {
		t.Helper()
		want, _ := domain.AccountRowOf(u)
		change(&want)
		if got := s.listed(t, domain.AccountFilter{Text: u.Username}); !slices.Equal(got, []domain.AccountRow{want}) {
			t.Errorf("the rows are %+v, want %+v", got, want)
		}
	}
	unchanged := func(*domain.AccountRow) {}
	etag := func(t *testing.T, u domain.User) string {
		t.Helper()
		return fixture.Must[struct {
			ETag string `json:"_etag"`
		}](t)(client.Read[struct {
			ETag string `json:"_etag"`
		}](ctx, rows, schema.AccountsOverview, u.ID)).ETag
	}
	fixture.Run(t, "a row shows the present account, whichever change is projected", func(t *testing.T) {
		before := s.MustUser(t)
		fixture.Check(t, s.AccountRows.Put(ctx, before))
		wantRow(t, before, unchanged)
		fixture.Must[domain.User](t)(s.Profiles.SetDisplayName(ctx, before.ID, "Ada Lovelace"))
		fixture.Must[domain.User](t)(s.Accounts.Suspend(ctx, before.ID, "Spam", time.Now()))
		now := s.put(t, before.ID)
		first := etag(t, before)
		for _, late := range []domain.User{before, now} {
			fixture.Check(t, s.AccountRows.Put(ctx, late))
			wantRow(t, now, func(r *domain.AccountRow) {
				r.DisplayName, r.State = "Ada Lovelace", domain.AccountSuspended
			})
		}
		if etag(t, before) != first {
			t.Error("a correct row was written again")
		}
	})
	fixture.Run(t, "a deleted account has no row, also if an earlier change comes late", func(t *testing.T) {
		u := s.MustUser(t)
		fixture.Check(t, s.AccountRows.Put(ctx, u))
		fixture.Check(t, s.AccountDeletions.Delete(ctx, u.ID))
		for _, late := range []domain.User{{ID: u.ID, Deleted: time.Now()}, u} {
			fixture.Check(t, s.AccountRows.Put(ctx, late))
			if got := s.listed(t, domain.AccountFilter{Text: u.Username}); len(got) > 0 {
				t.Errorf("the rows are %+v", got)
			}
		}
	})
	fixture.Run(t, "activity is recorded once a day and moves the row up", func(t *testing.T) {
		u, other := s.MustUser(t), s.MustUser(t)
		for _, day := range []domain.ActiveDay{"2026-03-01", "2026-03-02", "2026-03-01"} {
			fixture.Check(t, s.Sessions.RecordActivity(ctx, u.ID, day))
		}
		fixture.Check(t, s.AccountRows.Put(ctx, other))
		s.put(t, u.ID)
		wantRow(t, u, func(r *domain.AccountRow) { r.Active = "2026-03-02" })
		all := s.listed(t, domain.AccountFilter{})
		place := func(id string) int {
			return slices.IndexFunc(all, func(r domain.AccountRow) bool { return r.UserID == id })
		}
		if place(u.ID) < 0 || place(u.ID) > place(other.ID) {
			t.Errorf("the active user is number %d, the other %d", place(u.ID), place(other.ID))
		}
		fixture.Check(t, s.AccountDeletions.Delete(ctx, u.ID))
		fixture.Check(t, s.Sessions.RecordActivity(ctx, u.ID, "2026-03-09"))
		if gone := fixture.Must[map[string]domain.User](t)(s.Users.Several(ctx, []string{u.ID}))[u.ID]; gone.
			Active != "2026-03-02" {
			t.Errorf("a deleted account is active on %s", gone.Active)
		}
	})
	fixture.Run(t, "rows are found by a part of the names, the role and the state, page by page", func(t *testing.T) {
		var last domain.User
		word := domain.NewID()[:12]
		for n := range domain.AccountsPerPage + 2 {
			u := fixture.Must[domain.User](t)(domain.NewUser(fmt.Sprint("x", n, word), fixture.At(n)))
			fixture.Check(t, s.Accounts.Create(ctx, u, "hash"))
			fixture.Check(t, s.AccountRows.Put(ctx, u))
			last = u
		}
		if got := s.listed(t, domain.AccountFilter{Text: word}); len(got) != domain.AccountsPerPage+2 {
			t.Errorf("found %d", len(got))
		}
		fixture.Must[domain.User](t)(s.Profiles.SetDisplayName(ctx, last.ID, "ÉMILE Zola"))
		fixture.Must[domain.User](t)(s.Accounts.ChangeRole(ctx, last.ID, domain.RoleModerator,
			domain.AccountDecision{ID: word, At: fixture.Epoch}))
		fixture.Must[domain.User](t)(s.AccountDeletions.ScheduleDeletion(ctx, last.ID, time.Now().Add(time.Hour)))
		s.put(t, last.ID)
		for want, filters := range map[int][]domain.AccountFilter{
			1: {{Text: word + " émile zo"}, {Text: word, Role: "moderator"},
				{Text: word, State: domain.AccountLeaving}},
			0: {{Text: word + "x"}, {Text: word, Role: "reader"}, {Text: word, Role: "moderator",
				State: domain.AccountActive}},
		} {
			for _, f := range filters {
				if got := s.listed(t, f); len(got) != want || want == 1 && got[0].UserID != last.ID {
					t.Errorf("%+v selects %+v", f, got)
				}
			}
		}
	})
	fixture.Run(t, "wrong rows are repaired", func(t *testing.T) {
		u := s.MustUser(t)
		fixture.Check(t, s.AccountRows.Put(ctx, u))
		for path, value := range map[string]any{"/role": "administrator", "/sortKey": "9999", "/search": "", "/ttl": 60,
			"/written": 1 << 40, "/creationDate": "never"} {
			var ops azcosmos.PatchOperations
			ops.AppendSet(path, value)
			fixture.Check(t, rows.Patch(ctx, schema.AccountsOverview, u.ID, ops))
			fixture.Check(t, s.AccountRows.Put(ctx, u))
			wantRow(t, u, unchanged)
		}
		lost := domain.NewUserID(nil)
		fixture.Check(t, rows.Create(ctx, schema.AccountsOverview, map[string]any{"id": lost, "type": "account-row",
			"list": schema.AccountsOverview}))
		fixture.Check(t, s.AccountRows.Repair(ctx))
		if _, err := client.Read[struct{}](ctx, rows, schema.AccountsOverview, lost); !client.Missing(err) {
			t.Errorf("the row of nobody is left: %v", err)
		}
		wantRow(t, u, unchanged)
	})
}
