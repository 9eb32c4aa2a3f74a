package moderation_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestTheListOfAccounts(t *testing.T) {
	s := webtest.NewSite(t)
	admin, moderator := s.SignUpAs("quinn", domain.RoleAdministrator), s.SignUpAs("molly", domain.RoleModerator)
	ada, bob := s.SignUp("ada"), s.SignUp("bob")
	ada.Post("/settings/profile", "displayName", "Ada Lovelace").Want(http.StatusSeeOther)
	// names returns the usernames on a page of the list, in order.
	names := func(a *webtest.Response) []string {
		return a.Want(http.StatusOK).Page().Find(".account-list tbody th a").Map(
			func(_ int, link *goquery.Selection) string {
				return strings.TrimPrefix(strings.TrimSpace(link.Text()), "@")
			})
	}
	lists := func(query string, want ...string) {
		t.Helper()
		if got := slices.Sorted(slices.Values(names(moderator.Get("/admin/users" + query)))); !slices.Equal(got, want) {
			t.Errorf("%q lists %q, want %q", query, got, want)
		}
	}
	t.Run("has every account, each with a link to its page", func(t *testing.T) {
		lists("", "ada", "bob", "inhabitant", "molly", "quinn")
		row := admin.Get("/admin/users").Page().Find(".account-list tr").FilterFunction(
			func(_ int, row *goquery.Selection) bool { return strings.Contains(row.Text(), "@ada") })
		text := webtest.CollapseSpace(row.Text())
		for _, want := range []string{"Ada Lovelace", "author", "active"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is missing from %q", want, text)
			}
		}
		if days := row.Find("time").Length(); days != 2 {
			t.Errorf("%d days in %q", days, text)
		}
		path, _ := row.Find("th a").Attr("href")
		admin.Get(path).Has("h1", "@ada").Has(".account", "Last active").Has("#role-title", "Role of @ada")
	})
	t.Run("finds a part of the names in any case, and roles and states", func(t *testing.T) {
		s.Suspend(bob)
		lists("?q=LOVELACE", "ada")
		lists("?q=@l", "ada", "molly")
		lists("?role=administrator", "quinn")
		lists("?state=suspended", "bob")
		lists("?q=o&role=author&state=suspended", "bob")
		lists("?q=nobody")
		lists("?role=king&state=dead", "ada", "bob", "inhabitant", "molly", "quinn")
		moderator.Get("/admin/users?q=o&role=moderator").Has(`#role [selected]`, "moderator").
			Has(`.account-filter a[href="/admin/users"]`, "Show all accounts")
	})
	t.Run("finds an exact or former username first, also without a row", func(t *testing.T) {
		ada.Post("/settings/username", "username", "adele").Want(http.StatusSeeOther)
		s.Data.CatchUp()
		rows := s.Data.Store.Container(schema.OverviewsContainer)
		if err := rows.Delete(t.Context(), schema.AccountsOverview, ada.User.ID); err != nil {
			t.Fatal(err)
		}
		lists("?q=ada", "adele")
		lists("?q=ada&role=reader")
		lists("?q=lovelace")
		moderator.Get("/admin/users?name=ada").Has("h1", "@adele")
	})
	t.Run("rejects a long text beside the field", func(t *testing.T) {
		long := strings.Repeat("x", domain.MaxAccountSearch+1)
		a := moderator.Get("/admin/users?q=" + long).Want(http.StatusUnprocessableEntity).HasNo(".account-list")
		a.HasFieldError("q", "Use at most 100 characters.")
		if a.Value("q") != long {
			t.Errorf("the field has %q", a.Value("q"))
		}
	})
	t.Run("has further pages, which keep the filter", func(t *testing.T) {
		for n := range domain.AccountsPerPage + 1 {
			u, err := domain.NewUser(fmt.Sprintf("member-%02d", n), time.Now().AddDate(0, 0, -n-1))
			if err == nil {
				err = s.Data.Store.Accounts.Create(t.Context(), u, "hash")
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		s.Data.CatchUp()
		first := moderator.Get("/admin/users?q=member&state=active")
		if got := names(first); len(got) != domain.AccountsPerPage || got[0] != "member-00" || got[49] != "member-49" {
			t.Errorf("the first page has %q", got)
		}
		next, _ := first.Page().Find(`.pager [rel="next"]`).Attr("href")
		second := moderator.Get(next)
		if got := names(second); !slices.Equal(got, []string{"member-50"}) {
			t.Errorf("the second page has %q", got)
		}
		second.Has(`.pager a[href="/admin/users?q=member&state=active"]`, "First page").HasNo(`.pager [rel="next"]`)
	})
}
