package overviews

import (
	"bytes"
	"context"
	"math"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/names"
)

// Operations on the list of accounts.
var (
	readingAccounts = client.Reads("accounts")
	listingAccount  = client.WritesOnly("list-account", 0)
)

// Accounts is the list of all accounts, with a row for each user who is not deleted.
type Accounts struct{ rows, users *client.Container }

// NewAccounts returns the list of accounts of a database.
func NewAccounts(db *client.Database) *Accounts {
	return &Accounts{db.Container(schema.OverviewsContainer), db.Container(schema.UsersContainer)}
}

// accountRow is the row of a user. Its id is the user's.
type accountRow struct {
	ID           string              `json:"id"`
	Type         string              `json:"type"`
	List         string              `json:"list"`
	SortKey      domain.Place        `json:"sortKey"`
	Search       string              `json:"search"`
	Username     string              `json:"username"`
	DisplayName  string              `json:"displayName,omitempty"`
	Role         string              `json:"role"`
	State        domain.AccountState `json:"state"`
	CreationDate schema.Instant      `json:"creationDate"`
	ActiveDay    domain.ActiveDay    `json:"activeDay,omitempty"`
	// Written is when the user item was written that the row is a copy of, in seconds since 1970. A replica that
	// answers with an earlier one lags behind.
	Written int    `json:"written"`
	TTL     int    `json:"ttl,omitempty"` // never set
	ETag    string `json:"_etag,omitempty"`
}

// accountRowOf returns the row of a user. There is none for a deleted user.
func accountRowOf(u domain.User, written int) (item accountRow, listed bool) {
	row, listed := domain.AccountRowOf(u)
	return accountRow{ID: row.UserID, Type: schema.TypeAccountRow, List: schema.AccountsOverview, SortKey: row.Place(),
		Search: row.Search(), Username: row.Username, DisplayName: row.DisplayName, Role: row.Role.String(),
		State: row.State, CreationDate: schema.Instant(row.Created), ActiveDay: row.Active, Written: written}, listed
}

func (i accountRow) domain() domain.AccountRow {
	role, _ := domain.ParseRole(i.Role)
	return domain.AccountRow{UserID: i.ID, Username: i.Username, DisplayName: i.DisplayName, Role: role, State: i.State,
		Created: time.Time(i.CreationDate), Active: i.ActiveDay}
}

// equal reports whether two rows show the same, whenever they were written.
func (i accountRow) equal(other accountRow) bool {
	i.Written, i.ETag, other.Written, other.ETag = 0, "", 0, ""
	return bytes.Equal(client.Encode(i), client.Encode(other))
}

// source has the properties of a user item that a row shows.
type source struct {
	UserID         string           `json:"userId"`
	Username       string           `json:"username"`
	DisplayName    string           `json:"displayName"`
	Role           string           `json:"role"`
	CreationDate   schema.Instant   `json:"creationDate"`
	ActiveDay      domain.ActiveDay `json:"activeDay"`
	SuspensionDate *schema.Instant  `json:"suspensionDate"`
	LeavingDate    *schema.Instant  `json:"leavingDate"`
	DeletionDate   *schema.Instant  `json:"deletionDate"`
	Written        int              `json:"_ts"`
}

func (s source) row() (item accountRow, listed bool) {
	return accountRowOf(domain.User{ID: s.UserID, Username: s.Username, DisplayName: s.DisplayName,
		Role: domain.Role(s.Role), Created: time.Time(s.CreationDate), Active: s.ActiveDay,
		Suspended: s.SuspensionDate.Time(), ScheduledDeletion: s.LeavingDate.Time(), Deleted: s.DeletionDate.Time()},
		s.Written)
}

// Put brings the row of a user in line with a change of the account. It reads the user after the row, so a late change
// never replaces a newer row. If the row already shows the change, which is usual, it costs one point read.
func (a *Accounts) Put(ctx context.Context, u domain.User) error {
	ctx = listingAccount.In(ctx)
	created := false
	return client.Translate(client.Rewrite(ctx, func() error {
		found, exists, err := a.read(ctx, u.ID)
		if err != nil {
			return err
		}
		if want, listed := accountRowOf(u, 0); !created && listed == exists && (!exists || found.equal(want)) {
			return nil
		}
		present, err := client.UpToDate(ctx, found.Written,
			func(ctx context.Context) (source, error) { return a.user(ctx, u.ID) },
			func(s source) int { return s.Written })
		if err != nil {
			return err
		}
		want, listed := present.row()
		switch {
		case !exists && listed:
			// The account may have been deleted meanwhile, by an instance that found no row to delete.
			err = a.rows.Create(ctx, schema.AccountsOverview, want)
			created = err == nil
			return client.AgainIf(created || client.LostRace(err), err)
		case exists && !listed:
			err = a.rows.DeleteVersion(ctx, schema.AccountsOverview, u.ID, found.ETag)
		case exists && !found.equal(want):
			err = a.rows.Replace(ctx, schema.AccountsOverview, u.ID, found.ETag, want)
		}
		return client.Lost(err)
	}))
}

// rowVersion is the part of a row that can always be decoded.
type rowVersion struct {
	ETag string `json:"_etag"`
}

// read returns the row of a user, if it exists. Of a row that cannot be decoded, it returns the etag.
func (a *Accounts) read(ctx context.Context, userID string) (row accountRow, exists bool, err error) {
	row, err = client.Read[accountRow](ctx, a.rows, schema.AccountsOverview, userID)
	if client.Undecodable(err) {
		var stored rowVersion
		stored, err = client.Read[rowVersion](ctx, a.rows, schema.AccountsOverview, userID)
		row = accountRow{ETag: stored.ETag}
	}
	if client.Missing(err) {
		return accountRow{}, false, nil
	}
	return row, err == nil, err
}

// user reads a user. A user whose marker has expired counts as deleted.
func (a *Accounts) user(ctx context.Context, userID string) (source, error) {
	s, err := client.Read[source](ctx, a.users, userID, userID)
	if client.Missing(err) {
		return source{DeletionDate: new(schema.Instant(time.Now())), Written: math.MaxInt}, nil
	}
	return s, err
}

// List returns the accounts that a filter selects and that follow a place, the last active ones first, at most
// domain.AccountsPerPage of them. The zero place is the beginning. It is one query in one logical partition.
func (a *Accounts) List(ctx context.Context, f domain.AccountFilter, after domain.Place) (
	domain.ListPage[domain.AccountRow], error) {
	where, params := "c.type = 'account-row'", client.Parameters{"limit": domain.AccountsPerPage + 1}
	only := func(condition, name string, value any) {
		where += " AND " + condition
		params[name] = value
	}
	if after != "" {
		only("c.sortKey < @after", "after", after)
	}
	if f.Role != "" {
		only("c.role = @role", "role", f.Role)
	}
	if f.State != "" {
		only("c.state = @state", "state", f.State)
	}
	if f.Text != "" {
		only("CONTAINS(c.search, @text)", "text", names.Fold(f.Text))
	}
	rows, err := client.Query[accountRow](readingAccounts.In(ctx), a.rows, schema.AccountsOverview,
		"SELECT * FROM c WHERE "+where+" ORDER BY c.type DESC, c.sortKey DESC OFFSET 0 LIMIT @limit", params)
	return domain.Cut(client.Convert(rows, accountRow.domain), 1, domain.AccountsPerPage), client.Translate(err)
}

// Repair deletes rows of users who do not exist. Replaying the changes of all users corrects the other rows. It keeps
// the ids of all users in memory.
func (a *Accounts) Repair(ctx context.Context) error {
	ctx = listingAccount.In(ctx)
	live := make(map[string]bool)
	type item struct{ ID string }
	err := client.Scan(ctx, a.users, `SELECT c.id FROM c WHERE c.type = 'user' AND NOT IS_DEFINED(c.deletionDate)`, nil,
		func(u item) error { live[u.ID] = true; return nil })
	if err == nil {
		err = client.EachRow(ctx, a.rows, client.Key(schema.AccountsOverview), `SELECT c.id FROM c`, nil,
			func(row item) error {
				if live[row.ID] {
					return nil
				}
				return a.Put(ctx, domain.User{ID: row.ID, Deleted: time.Now()})
			})
	}
	return client.Translate(err)
}
