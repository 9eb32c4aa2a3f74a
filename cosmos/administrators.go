package cosmos

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// Who administers the site stands in the role of each user and, so that there is always
// somebody, in one list, an item of users. Two questions are decided by it and by nothing
// else, however many instances ask at once: who is the first (whoever creates the list),
// and whether one may stop (somebody else must be in it, who is not about to).
//
// A user whose change the list has yet to hear of says so in the property administration,
// written in one with the change. Whoever made the change tells the list; should that one
// have died, the users projector does.

// Values of the property administration of a user.
const (
	// administrationClaimed is of who signed up where nobody administers: if it makes the
	// list, it is the administrator.
	administrationClaimed = "claimed"
	administrationChanged = "changed"
)

type administratorsItem struct {
	ID      string          `json:"id"`
	Type    string          `json:"type"`
	UserID  string          `json:"userId"`
	OwnerID string          `json:"ownerId,omitempty"` // the first account; nobody's: there were users before there were roles
	List    []administrator `json:"administrators"`
	Version int             `json:"version"`
	// Vacant says that the last person of the site has left: the next one is the first.
	Vacant bool   `json:"vacant,omitempty"`
	ETag   string `json:"_etag,omitempty"`
}

// leaderless tells whether all those in the list are about to stop, as one is who was there
// alone and is being deleted.
func (i administratorsItem) leaderless() bool {
	return len(i.List) > 0 && !slices.ContainsFunc(i.List, func(a administrator) bool { return a.Going == nil })
}

type administrator struct {
	UserID string `json:"userId"`
	// Going is since when it is about to stop, and so does not count.
	Going *schema.Instant `json:"goingDate,omitempty"`
}

var errLastAdministrator = domain.Errorf(domain.Conflict, "This site has no other administrator. Make someone else an administrator first.")

// SignUp is CreateWith for a person. The first one on a site without users becomes its
// administrator, also after all others have left; of several at the same time one does. On a
// site with users where nobody administers nobody does by itself. It returns the user as
// written.
func (u *Users) SignUp(ctx context.Context, user domain.User, credentials domain.Credentials) (domain.User, error) {
	ctx = client.Operation(ctx, "C1")
	administration := ""
	first, err := u.mayBeFirst(ctx)
	if err != nil {
		return domain.User{}, client.Translate(err)
	}
	if first {
		administration = administrationClaimed
	}
	if err := u.create(ctx, user, credentials, administration); err != nil {
		return domain.User{}, err
	}
	if administration == "" {
		return user, nil
	}
	_ = u.SettleAdministration(ctx, user.ID) // or the users projector does
	if written, err := u.account(ctx, user.ID); err == nil {
		return written, nil
	}
	return user, nil
}

// mayBeFirst tells whether it is yet to be decided who administers the site.
func (u *Users) mayBeFirst(ctx context.Context) (bool, error) {
	list, err := client.Read[administratorsItem](ctx, u.c, schema.AdministratorsID, schema.AdministratorsID)
	absent := client.Missing(err)
	if err != nil && !absent {
		return false, err
	}
	if list.Vacant || list.leaderless() {
		return true, nil
	}
	if len(list.List) > 0 {
		return false, nil
	}
	inhabited, err := u.inhabited(ctx)
	if err != nil || !inhabited || !absent {
		return !inhabited, err
	}
	// There are users, and so there is no first one to come.
	err = u.c.Create(ctx, schema.AdministratorsID, administratorsItem{ID: schema.AdministratorsID, Type: schema.TypeAdministrators, UserID: schema.AdministratorsID,
		List: []administrator{}, Version: 1})
	if err != nil && client.StatusOf(err) != http.StatusConflict {
		return false, err
	}
	return false, nil
}

// inhabited tells whether there is anybody on the site. The accounts of the sample data are
// nobody's, and those that may be first decide nothing.
func (u *Users) inhabited(ctx context.Context) (bool, error) {
	err := client.Scan(ctx, u.c, `SELECT c.id FROM c WHERE c.type = 'user' AND NOT IS_DEFINED(c.deletionDate)
		AND NOT IS_DEFINED(c.sample) AND NOT IS_DEFINED(c.administration)`, nil, func(userItem) error { return client.ErrFound })
	if errors.Is(err, client.ErrFound) {
		return true, nil
	}
	return false, err
}

// HasAdministrator tells whether anybody administers the site.
func (u *Users) HasAdministrator(ctx context.Context) (bool, error) {
	list, err := client.Read[administratorsItem](client.Operation(ctx, "administrators"), u.c, schema.AdministratorsID, schema.AdministratorsID)
	if client.Missing(err) {
		return false, nil
	}
	return len(list.List) > 0, client.Translate(err)
}

// SettleAdministration tells the list of administrators what has become of a user. Done
// again it changes nothing.
func (u *Users) SettleAdministration(ctx context.Context, userID string) error {
	ctx = client.Operation(ctx, "settle-administration")
	for attempt := 1; ; attempt++ {
		vacant, err := u.settle(ctx, userID)
		if err == nil && vacant {
			err = u.settleClaims(ctx)
		}
		if !client.LostRace(err) && err != errRecounted || attempt == client.RewriteAttempts {
			return client.Translate(err)
		}
	}
}

// settleClaims lets those hear who signed up while it was open whether anybody administers
// the site.
func (u *Users) settleClaims(ctx context.Context) error {
	var claiming []string
	err := client.Scan(ctx, u.c, `SELECT c.userId FROM c WHERE c.type = 'user' AND c.administration = 'claimed' AND NOT IS_DEFINED(c.deletionDate)`,
		nil, func(item userItem) error {
			claiming = append(claiming, item.UserID)
			return nil
		})
	for _, userID := range claiming {
		err = errors.Join(err, u.SettleAdministration(ctx, userID))
	}
	return err
}

// errRecounted says that the list was put right, and is to be read again.
var errRecounted = errors.New("cosmos: the administrators were counted again")

// settle fails with a lost race when the list or the user changed meanwhile. It reports
// whether, with a deleted user, nobody administers the site any more.
func (u *Users) settle(ctx context.Context, userID string) (vacant bool, err error) {
	list, err := client.Read[administratorsItem](ctx, u.c, schema.AdministratorsID, schema.AdministratorsID)
	absent := client.Missing(err)
	if err != nil && !absent {
		return false, err
	}
	user, err := client.Read[userItem](ctx, u.c, userID, userID)
	switch {
	case client.Missing(err):
		user = userItem{ID: userID}
	case err != nil:
		return false, err
	case user.Administration == "" && user.DeletionDate == nil:
		return false, nil
	}
	var ops azcosmos.PatchOperations
	claimed := user.Administration == administrationClaimed && user.DeletionDate == nil
	switch {
	case claimed && list.OwnerID == userID:
		ops.AppendSet("/role", string(domain.RoleAdministrator))
	case claimed:
		won, err := u.claim(ctx, list, absent, userID)
		switch {
		case errors.Is(err, errUndecided):
			return false, nil
		case err != nil:
			return false, err
		case won:
			ops.AppendSet("/role", string(domain.RoleAdministrator))
		}
	case user.Administration == "" && !slices.ContainsFunc(list.List, func(a administrator) bool { return a.UserID == userID }):
		return list.Vacant, nil // its marker, or nothing, is left of it
	default:
		if vacant, err = u.list(ctx, list, absent, userID, user.administrates()); err != nil {
			return false, err
		}
	}
	if user.Administration == "" {
		return vacant, nil
	}
	ops.AppendRemove("/administration")
	return vacant, u.c.PatchVersion(ctx, userID, userID, user.ETag, ops)
}

// errUndecided says that the only one who administers the site is about to be deleted, or
// not: who claims to be first hears of it when that is known, see settleClaims.
var errUndecided = errors.New("cosmos: it is open whether anybody administers the site")

// claim makes a user the first of a site, if nobody is there.
func (u *Users) claim(ctx context.Context, list administratorsItem, absent bool, userID string) (won bool, err error) {
	switch {
	case list.leaderless():
		for i, a := range list.List {
			if a.stale() {
				return false, cmp.Or(u.recount(ctx, list, i), errRecounted)
			}
		}
		return false, errUndecided
	case len(list.List) > 0:
		return false, nil
	case !absent && !list.Vacant:
		inhabited, err := u.inhabited(ctx)
		if err != nil || inhabited {
			return false, err
		}
	}
	first := administratorsItem{ID: schema.AdministratorsID, Type: schema.TypeAdministrators, UserID: schema.AdministratorsID, OwnerID: userID,
		List: []administrator{{UserID: userID}}, Version: list.Version + 1}
	if absent {
		return true, u.c.Create(ctx, schema.AdministratorsID, first)
	}
	return true, u.c.Replace(ctx, schema.AdministratorsID, schema.AdministratorsID, list.ETag, first)
}

// list has a user in the list, or not. It writes in any case: whoever has read the list
// before, and looked at the user when it was another, is then told that it lost a race.
// Whoever stops while others are there leaves somebody in it: see letGo. So it is vacant once
// it names nobody any more.
func (u *Users) list(ctx context.Context, list administratorsItem, absent bool, userID string, in bool) (vacant bool, err error) {
	if absent {
		list = administratorsItem{ID: schema.AdministratorsID, Type: schema.TypeAdministrators, UserID: schema.AdministratorsID}
	}
	named := len(list.List) > 0
	list.List = slices.DeleteFunc(list.List, func(a administrator) bool { return a.UserID == userID })
	if in {
		list.List = append(list.List, administrator{UserID: userID})
	}
	if list.List == nil {
		list.List = []administrator{}
	}
	list.Vacant = len(list.List) == 0 && (named || list.Vacant)
	list.Version++
	if absent {
		return list.Vacant, u.c.Create(ctx, schema.AdministratorsID, list)
	}
	etag := list.ETag
	list.ETag = ""
	return list.Vacant, u.c.Replace(ctx, schema.AdministratorsID, schema.AdministratorsID, etag, list)
}

// letGo marks an administrator as going, if somebody else stays. One that was marked and
// then stayed after all, because whoever marked it died, counts again.
func (u *Users) letGo(ctx context.Context, userID string) error {
	for attempt := 1; ; attempt++ {
		list, err := client.Read[administratorsItem](ctx, u.c, schema.AdministratorsID, schema.AdministratorsID)
		if client.Missing(err) {
			return errLastAdministrator
		}
		if err != nil {
			return err
		}
		others := false
		for i, a := range list.List {
			if a.UserID != userID && a.stale() {
				if err := u.recount(ctx, list, i); err != nil && !client.LostRace(err) {
					return err
				}
				others = false
				list.ETag = "" // another by now
				break
			}
			others = others || a.UserID != userID && a.Going == nil
		}
		switch {
		case list.ETag == "":
			err = nil
		case !others:
			return errLastAdministrator
		default:
			if err = u.markGoing(ctx, list, userID); err == nil {
				return nil
			}
		}
		if err != nil && !client.LostRace(err) || attempt == client.RewriteAttempts {
			return err
		}
	}
}

func (u *Users) markGoing(ctx context.Context, list administratorsItem, userID string) error {
	etag := list.ETag
	list.ETag = ""
	list.List = slices.DeleteFunc(list.List, func(a administrator) bool { return a.UserID == userID })
	list.List = append(list.List, administrator{UserID: userID, Going: schema.Optional(time.Now())})
	list.Version++
	return u.c.Replace(ctx, schema.AdministratorsID, schema.AdministratorsID, etag, list)
}

// letGoAlone marks as going whom letGo would not let go.
func (u *Users) letGoAlone(ctx context.Context, userID string) error {
	for attempt := 1; ; attempt++ {
		list, err := client.Read[administratorsItem](ctx, u.c, schema.AdministratorsID, schema.AdministratorsID)
		if client.Missing(err) {
			return nil // there were users before there were roles
		}
		if err == nil {
			err = u.markGoing(ctx, list, userID)
		}
		if !client.LostRace(err) || attempt == client.RewriteAttempts {
			return err
		}
	}
}

// goesOn lets one count again who was marked as going and stays after all.
func (u *Users) goesOn(ctx context.Context, userID string) error {
	for attempt := 1; ; attempt++ {
		list, err := client.Read[administratorsItem](ctx, u.c, schema.AdministratorsID, schema.AdministratorsID)
		if client.Missing(err) {
			return nil
		}
		if err != nil {
			return err
		}
		i := slices.IndexFunc(list.List, func(a administrator) bool { return a.UserID == userID && a.Going != nil })
		if i < 0 {
			return u.settleClaims(ctx)
		}
		if err = u.recount(ctx, list, i); err != nil && !client.LostRace(err) || attempt == client.RewriteAttempts {
			return err
		}
	}
}

// stale tells of one who is going that whoever marked it has died meanwhile.
func (a administrator) stale() bool {
	return a.Going != nil && time.Since(a.Going.Time()) > ReservationTime
}

// recount puts right what the list says of one of those in it.
func (u *Users) recount(ctx context.Context, list administratorsItem, i int) error {
	userID := list.List[i].UserID
	user, err := client.Read[userItem](ctx, u.c, userID, userID)
	if err != nil && !client.Missing(err) {
		return err
	}
	administrates := err == nil && user.administrates()
	_, err = u.list(ctx, list, false, userID, administrates)
	return err
}
