package cosmos

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/names"
	"inkfeed/domain/siteinfo"
)

// Users reads accounts, each a user item in the user's partition of the container users. That container is
// partitioned by /userId. A user's partition also has the credentials, the blocks, the drafts, the pictures, and copies
// of the user's posts without their full text. Each username has a partition of its own: see Usernames.
type Users struct{ c *client.Container }

type userItem struct {
	ID           string         `json:"id"`
	Type         string         `json:"type"`
	UserID       string         `json:"userId"`
	Username     string         `json:"username"`
	CreationDate schema.Instant `json:"creationDate"`
	Bio          string         `json:"bio,omitempty"`
	Language     string         `json:"language,omitempty"`
	Avatar       string         `json:"avatar,omitempty"`
	// What the user's page shows besides: see domain.User.
	BlogTitle       string          `json:"blogTitle,omitempty"`
	Links           []siteinfo.Link `json:"links,omitempty"`
	WritingLanguage string          `json:"writingLanguage,omitempty"`
	Header          domain.Cover    `json:"header,omitzero"`
	Pins            []string        `json:"pins,omitempty"`
	ImageCount      int             `json:"imageCount,omitempty"`
	ImageBytes      int64           `json:"imageBytes,omitempty"`
	DraftCount      int             `json:"draftCount,omitempty"`
	DraftBytes      int64           `json:"draftBytes,omitempty"`
	NameVersion     int             `json:"nameVersion"`
	// PropagatedVersion is the NameVersion that all copies of the name have. Its stored name is older than this one.
	PropagatedVersion int    `json:"spreadVersion"`
	DisplayName       string `json:"displayName,omitempty"`
	Role              string `json:"role,omitempty"`
	Sample            bool   `json:"sample,omitempty"`
	// Administration marks a change that the list of administrators does not reflect yet: see administrators.go.
	Administration string `json:"administration,omitempty"`
	Trusted        bool   `json:"trusted,omitempty"`
	Hasty          bool   `json:"hasty,omitempty"`
	// SessionVersion is raised by the write that ends all sessions. It is 0 if absent.
	SessionVersion int `json:"sessionVersion,omitempty"`
	// SessionsEndedBy is the id of the session on whose behalf EndSessions last raised SessionVersion, and the version
	// that it got.
	SessionsEndedBy string `json:"sessionsEndedBy,omitempty"`
	// SuspensionDate and SuspensionReason are set for suspended users only.
	SuspensionDate   *schema.Instant `json:"suspensionDate,omitempty"`
	SuspensionReason string          `json:"suspensionReason,omitempty"`
	// Decision is the last change by a form of the administration: see domain.AccountDecision.
	Decision *decisionItem `json:"decision,omitempty"`
	// LeavingDate is the time of the scheduled deletion.
	LeavingDate *schema.Instant `json:"leavingDate,omitempty"`
	// LeavingProblem is the reason why a scheduled deletion failed.
	LeavingProblem locale.Stored `json:"leavingProblem,omitempty"`
	// NotificationCount counts all notifications that the user has received, NotificationsSeen those that were seen.
	NotificationCount int `json:"notificationCount,omitempty"`
	NotificationsSeen int `json:"notificationsSeen,omitempty"`
	// What the user follows: see domain.User.
	FollowingCount   int  `json:"followingCount,omitempty"`
	HidesFollows     bool `json:"hidesFollows,omitempty"`
	PrefersFollowing bool `json:"prefersFollowing,omitempty"`
	// QuietKinds are the kinds of notifications that the user has switched off. MuteCount is the number of mutes.
	QuietKinds domain.NotificationKinds `json:"quietKinds,omitempty"`
	MuteCount  int                      `json:"muteCount,omitempty"`
	// FeedSecret is the secret in the address of the private feed.
	FeedSecret string `json:"feedSecret,omitempty"`
	// ActiveDay is the last day on which the user was signed in: see Sessions.RecordActivity.
	ActiveDay domain.ActiveDay `json:"activeDay,omitempty"`
	// DeletionDate and Erased are set for deleted users only: see Delete.
	DeletionDate *schema.Instant `json:"deletionDate,omitempty"`
	Erased       bool            `json:"erased,omitempty"`
	ETag         string          `json:"_etag,omitempty"`
}

type decisionItem struct {
	ID   string         `json:"id"`
	Date schema.Instant `json:"date"`
	From string         `json:"from,omitempty"` // the role before the change
}

func (i userItem) domain() domain.User {
	u := domain.User{ID: i.UserID, Username: i.Username, Created: time.Time(i.CreationDate),
		DisplayName: i.DisplayName, Role: domain.Role(i.Role), Trusted: i.Trusted, Hasty: i.Hasty,
		Profile:  domain.Profile{Bio: i.Bio, BlogTitle: i.BlogTitle, WritingLanguage: i.WritingLanguage},
		Language: i.Language, Avatar: i.Avatar, Header: i.Header,
		ImageCount: i.ImageCount, ImageBytes: i.ImageBytes, DraftCount: i.DraftCount, DraftBytes: i.DraftBytes,
		NameVersion: i.NameVersion, PropagatedVersion: i.PropagatedVersion, SessionVersion: i.SessionVersion,
		Sample: i.Sample, Unsettled: i.Administration != "", DeletionProblem: i.LeavingProblem,
		Notifications: i.NotificationCount, NotificationsSeen: i.NotificationsSeen, QuietKinds: i.QuietKinds,
		MuteCount: i.MuteCount, Following: i.FollowingCount, HidesFollows: i.HidesFollows,
		PrefersFollowing: i.PrefersFollowing, FeedSecret: i.FeedSecret, Active: i.ActiveDay}
	copy(u.Links[:], i.Links)
	copy(u.Pins[:], i.Pins)
	if i.SuspensionDate != nil {
		u.Suspended, u.SuspendedFor = time.Time(*i.SuspensionDate), i.SuspensionReason
	}
	if i.Decision != nil {
		u.LastDecision = domain.AccountDecision{ID: i.Decision.ID, At: time.Time(i.Decision.Date),
			From: domain.Role(i.Decision.From)}
	}
	if i.LeavingDate != nil {
		u.ScheduledDeletion = time.Time(*i.LeavingDate)
	}
	if i.DeletionDate != nil {
		u.Deleted, u.Erased = time.Time(*i.DeletionDate), i.Erased
	}
	return u
}

// ByID reads a user by id: request Q1, one point read. It returns NotFound for a deleted or suspended user.
func (u *Users) ByID(ctx context.Context, userID string) (domain.User, error) {
	if !domain.IsUserID(userID) {
		return domain.User{}, schema.ErrNoUser()
	}
	user, err := u.account(readingUser.In(ctx), userID)
	if err == nil && !user.Suspended.IsZero() {
		return domain.User{}, schema.ErrNoUser()
	}
	return user, err
}

// ByName reads the owner of a current or former username, with two point reads. Compare the result's Username to find
// out whether the name is the current one.
func (u *Users) ByName(ctx context.Context, username string) (domain.User, error) {
	ownerID, err := u.ownerOf(readingUser.In(ctx), username)
	if err != nil {
		return domain.User{}, err
	}
	return u.ByID(ctx, ownerID)
}

// Account reads a user by id, also a suspended one. It is for moderation and for logging in. It
// returns NotFound for a deleted user.
func (u *Users) Account(ctx context.Context, userID string) (domain.User, error) {
	return u.account(readingAccount.In(ctx), userID)
}

// AccountByName reads the owner of a current or former username, as Account does.
func (u *Users) AccountByName(ctx context.Context, username string) (domain.User, error) {
	ctx = readingAccount.In(ctx)
	ownerID, err := u.ownerOf(ctx, username)
	if err != nil {
		return domain.User{}, err
	}
	return u.account(ctx, ownerID)
}

func (u *Users) account(ctx context.Context, userID string) (domain.User, error) {
	item, err := u.accountItem(ctx, userID)
	return item.domain(), err
}

func (u *Users) accountItem(ctx context.Context, userID string) (userItem, error) {
	if !domain.IsUserID(userID) {
		return userItem{}, schema.ErrNoUser()
	}
	item, err := client.Read[userItem](ctx, u.c, userID, userID)
	if err == nil && item.DeletionDate != nil {
		return userItem{}, schema.ErrNoUser()
	}
	return item, client.Translate(err)
}

// ownerOf returns the id of the owner of a current or former username. Of two users whose names have one key, it finds
// the one whose name is spelt like that.
func (u *Users) ownerOf(ctx context.Context, username string) (userID string, err error) {
	username, err = domain.CleanUsername(username)
	if err != nil {
		return "", schema.ErrNoUser()
	}
	for _, key := range names.NameKeys(username) {
		item, err := client.Read[usernameItem](ctx, u.c, key, key)
		if err != nil && !client.Missing(err) {
			return "", client.Translate(err)
		}
		// The secret of a preview link has the form of a name.
		if err == nil && item.Type == schema.TypeUsername {
			return item.OwnerID, nil
		}
	}
	return "", schema.ErrNoUser()
}

// Staff lists the moderators and administrators, sorted by username.
func (u *Users) Staff(ctx context.Context) ([]domain.User, error) {
	var staff []domain.User
	err := client.Scan(client.Reads("staff").In(ctx), u.c, `SELECT * FROM c
		WHERE c.role IN ('moderator', 'administrator') AND c.type = 'user'
		AND NOT IS_DEFINED(c.deletionDate)`, nil, func(item userItem) error {
		staff = append(staff, item.domain())
		return nil
	})
	slices.SortFunc(staff, func(a, b domain.User) int { return cmp.Compare(a.Username, b.Username) })
	return staff, client.Translate(err)
}

// EachAccount visits all users that are not deleted, in no particular order.
func (u *Users) EachAccount(ctx context.Context, visit func(domain.User) error) error {
	return client.Translate(client.Scan(client.Reads("list-accounts").In(ctx), u.c,
		`SELECT * FROM c WHERE c.type = 'user' AND NOT IS_DEFINED(c.deletionDate)`,
		nil, func(item userItem) error { return visit(item.domain()) }))
}

// fewNames is the number of users up to which point reads, at 1 RU each, cost less than one query.
const fewNames = 5

// Authors reads the current names and states of several users, by their ids. The result has no entry
// for a user who never existed, or whose deletion is complete and whose marker has expired.
func (u *Users) Authors(ctx context.Context, userIDs []string) (map[string]domain.Author, error) {
	users, err := u.Several(ctx, userIDs)
	authors := make(map[string]domain.Author, len(users))
	for id, user := range users {
		authors[id] = domain.Author{Name: user.Username, DisplayName: user.DisplayName, Avatar: user.Avatar,
			Deleted: !user.Deleted.IsZero(), Suspended: !user.Suspended.IsZero()}
	}
	return authors, err
}

// Several reads several users by their ids, also suspended and deleted ones. See Authors for missing ones.
func (u *Users) Several(ctx context.Context, userIDs []string) (map[string]domain.User, error) {
	ctx = client.Reads("current-names").In(ctx)
	users := make(map[string]domain.User, len(userIDs))
	if len(userIDs) <= fewNames {
		for _, id := range userIDs {
			item, err := client.Read[userItem](ctx, u.c, id, id)
			if err == nil {
				users[id] = item.domain()
			} else if client.KindOf(err) != domain.NotFound {
				return nil, client.Translate(err)
			}
		}
		return users, nil
	}
	identities := make([]azcosmos.ItemIdentity, len(userIDs))
	for i, id := range userIDs {
		identities[i] = client.Identity(id, id)
	}
	items, err := client.ReadMany[userItem](ctx, u.c, identities)
	for _, item := range items {
		users[item.UserID] = item.domain()
	}
	return users, client.Translate(err)
}

// CountPosts counts a user's posts, also those in no list and in the trash, and the user's drafts.
func (u *Users) CountPosts(ctx context.Context, userID string) (posts, drafts int, err error) {
	if !domain.IsUserID(userID) {
		return 0, 0, schema.ErrNoUser()
	}
	for filter, n := range map[string]*int{
		`IN ('post', 'unlisted-post', 'hidden-post', 'unpublished-post', 'trashed-post')`: &posts,
		`= 'draft'`: &drafts,
	} {
		*n, err = client.Count(client.Reads("count-posts").In(ctx), u.c, userID,
			`SELECT VALUE COUNT(1) FROM c WHERE c.userId = @user AND c.type `+filter,
			client.Parameters{"user": userID})
		if err != nil {
			return 0, 0, client.Translate(err)
		}
	}
	return posts, drafts, nil
}

// Touch writes a user without a visible change, so that the user comes through the change feed once
// more. Workers use it to continue work that takes several steps.
func (u *Users) Touch(ctx context.Context, userID string) error {
	var ops azcosmos.PatchOperations
	ops.AppendIncrement("/steps", 1)
	return client.Translate(u.c.Patch(client.Writes("again").In(ctx), userID, userID, ops))
}

// MarkPropagated records that a version of the user's name is on all their posts, comments and likes.
func (u *Users) MarkPropagated(ctx context.Context, userID string, nameVersion int) error {
	var ops azcosmos.PatchOperations
	ops.SetCondition(fmt.Sprintf("from c where c.spreadVersion < %d", nameVersion))
	ops.AppendSet("/spreadVersion", nameVersion)
	err := u.c.Patch(client.PropagatingName.In(ctx), userID, userID, ops)
	if client.ConditionFailed(err) {
		return nil // a later version is recorded already
	}
	return client.Translate(err)
}
