package cosmos

import (
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

var listedAccounts = flag.Int("accounts", 0, "users of the test of a large list of accounts")

// TestALargeListOfAccounts measures the requests of /admin/users. Run it alone, for example with -accounts 100000. The
// rows are written without their users, because only the list is measured.
func TestALargeListOfAccounts(t *testing.T) {
	if *listedAccounts == 0 {
		t.Skip("set -accounts to measure a large list")
	}
	store := newStore(t, func(engine policy.Transporter) policy.Transporter { return engine })
	rows, began := store.Container(schema.OverviewsContainer), time.Now()
	day := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	for n := 0; n < *listedAccounts; {
		batch := rows.Batch(schema.AccountsOverview)
		for range min(client.MaxBatch, *listedAccounts-n) {
			u := domain.User{ID: domain.NewUserID(nil), Username: fmt.Sprintf("member-%07d", n),
				DisplayName: fmt.Sprintf("Name Surname %d", n%1000), Created: day.AddDate(0, 0, -n%1000),
				Active: domain.ActiveDayOf(day.AddDate(0, 0, -n%400))}
			row, _ := domain.AccountRowOf(u)
			role, state := row.Role.String(), row.State
			if n%100_000 == 77 {
				role, state = "moderator", domain.AccountSuspended
			}
			batch.CreateItem(client.Encode(map[string]any{"id": u.ID, "type": schema.TypeAccountRow,
				"list": schema.AccountsOverview, "sortKey": row.Place(), "search": row.Search(),
				"username": u.Username, "displayName": u.DisplayName, "role": role, "state": state,
				"creationDate": schema.Instant(u.Created), "activeDay": u.Active, "written": 1}), nil)
			n++
		}
		if _, err := rows.Execute(t.Context(), batch, false); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d rows written in %s", *listedAccounts, time.Since(began).Round(time.Second))
	measure := func(name string, f domain.AccountFilter, after domain.Place) (last domain.Place) {
		for range 3 {
			ctx, charge := client.Measure(t.Context())
			begin := time.Now()
			page, err := store.AccountRows.List(ctx, f, after)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			t.Logf("%-32s %3d rows %8.1f RU %8s", name, len(page.Items), charge(),
				time.Since(begin).Round(100*time.Microsecond))
			if page.More {
				last = page.Items[len(page.Items)-1].Place()
			}
		}
		return last
	}
	next := measure("first page", domain.AccountFilter{}, "")
	measure("second page", domain.AccountFilter{}, next)
	measure("middle", domain.AccountFilter{}, "2026-05-01~")
	measure("many matches", domain.AccountFilter{Text: "member"}, "")
	measure("some matches", domain.AccountFilter{Text: "surname 77"}, "")
	measure("one match", domain.AccountFilter{Text: fmt.Sprintf("-%07d", *listedAccounts/2)}, "")
	measure("no match", domain.AccountFilter{Text: "nobody"}, "")
	measure("a rare role", domain.AccountFilter{Role: "moderator"}, "")
	measure("a frequent state", domain.AccountFilter{State: domain.AccountActive}, "")
	measure("a rare state and a text", domain.AccountFilter{Text: "member", State: domain.AccountSuspended}, "")
}
