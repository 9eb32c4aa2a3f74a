package following

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/dependency"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// Operations on follows.
var (
	following = client.WritesOnly("follow", dependency.FacetFollows|dependency.FacetAccount)
	reading   = client.Reads("follows")
)

// Users reads accounts.
type Users interface {
	// Authors returns the present names and states of users, those with a marker included.
	Authors(ctx context.Context, userIDs []string) (map[string]domain.Author, error)
	// People returns those of several users whose accounts are neither deleted, suspended nor about to be deleted.
	People(ctx context.Context, userIDs []string) (map[string]domain.User, error)
}

// Sources reads the newest posts of authors and tags.
type Sources interface {
	PostsOf(ctx context.Context, key string, page int) (domain.ListPage[domain.Summary], error)
}

// Follows stores who follows what.
type Follows struct {
	users, timelines *client.Container
	accounts         Users
	byAuthor, byTag  Sources
}

// New returns the follows of a database. A new follow fills the timeline with posts of byAuthor or byTag.
func New(db *client.Database, accounts Users, byAuthor, byTag Sources) *Follows {
	return &Follows{db.Container(schema.UsersContainer), db.Container(schema.TimelinesContainer), accounts, byAuthor,
		byTag}
}

// followItem is a follow in the follower's partition.
type followItem struct {
	ID           string          `json:"id"`
	Type         string          `json:"type"`
	UserID       string          `json:"userId"`
	AuthorID     string          `json:"authorId,omitempty"`
	Tag          string          `json:"tag,omitempty"`
	CreationDate schema.Instant  `json:"creationDate"`
	Version      int64           `json:"version"`
	DeletionDate *schema.Instant `json:"deletionDate,omitempty"`
	TTL          int             `json:"ttl,omitempty"`
	ETag         string          `json:"_etag,omitempty"`
}

func followItemOf(f domain.Follow) followItem {
	i := followItem{ID: schema.FollowID(f.Source), Type: schema.TypeFollow, UserID: f.UserID,
		AuthorID: f.Source.AuthorID, Tag: f.Source.Tag, CreationDate: schema.Instant(f.Created), Version: f.Version,
		DeletionDate: schema.Optional(f.Deleted)}
	if !f.Deleted.IsZero() {
		i.Type, i.TTL = schema.TypeDeletedFollow, int(domain.MarkerTime/time.Second)
	}
	return i
}

func (i followItem) domain() domain.Follow {
	return domain.Follow{UserID: i.UserID, Source: domain.Source{AuthorID: i.AuthorID, Tag: i.Tag},
		Created: time.Time(i.CreationDate), Version: i.Version, Deleted: i.DeletionDate.Time()}
}

// Decode decodes the item of a follow, or of one that has ended.
func Decode(body []byte) (*domain.Follow, error) {
	var item followItem
	err := client.Decode(body, &item)
	f := item.domain()
	return &f, err
}

// Follow makes a user follow a source, and returns the follow. An existing one stays as it is. Follow returns Conflict
// if the user follows domain.MaxFollows sources already, and NotFound if there is no such user. The caller checks that
// an author exists and has not blocked the user. The users projector adds the source's newest posts to the timeline.
func (s *Follows) Follow(ctx context.Context, userID string, source domain.Source, now time.Time) (
	domain.Follow, error) {
	switch {
	case !domain.IsUserID(userID) || !source.Valid():
		return domain.Follow{}, schema.ErrNoUser()
	case source.AuthorID == userID:
		return domain.Follow{}, domain.NewError(domain.Invalid, "You can't follow yourself.")
	}
	var count azcosmos.PatchOperations
	count.SetCondition(fmt.Sprintf("%s and (not is_defined(c.followingCount) or c.followingCount < %d)",
		schema.IfLive, domain.MaxFollows))
	count.AppendIncrement("/followingCount", 1)
	return s.change(following.In(ctx), userID, source, count, func(f domain.Follow) domain.Follow {
		if f.Version == 0 || !f.Deleted.IsZero() {
			f.Created, f.Deleted = domain.Timestamp(now), time.Time{}
		}
		return f
	})
}

// Unfollow ends a follow. It does nothing if there is none.
func (s *Follows) Unfollow(ctx context.Context, userID string, source domain.Source) error {
	if !domain.IsUserID(userID) || !source.Valid() {
		return nil
	}
	var count azcosmos.PatchOperations
	count.AppendIncrement("/followingCount", -1)
	_, err := s.change(following.In(ctx), userID, source, count, func(f domain.Follow) domain.Follow {
		if f.Version > 0 && f.Deleted.IsZero() {
			f.Deleted = domain.Timestamp(time.Now())
		}
		return f
	})
	return err
}

// change changes a follow, together with the number of the user's follows, and then its copy with the source.
func (s *Follows) change(ctx context.Context, userID string, source domain.Source, count azcosmos.PatchOperations,
	to func(domain.Follow) domain.Follow) (domain.Follow, error) {
	f, err := client.RewriteReturning(ctx, func() (domain.Follow, error) {
		found, err := client.Read[followItem](ctx, s.users, userID, schema.FollowID(source))
		isNew := client.Missing(err)
		if err != nil && !isNew {
			return domain.Follow{}, client.Translate(err)
		}
		before := domain.Follow{UserID: userID, Source: source}
		if !isNew {
			before = found.domain()
		}
		f := to(before)
		if f == before {
			return f, nil
		}
		f.Version = schema.NextVersion(f.Version, time.Now())
		batch := s.users.Batch(userID)
		batch.PatchItem(userID, count, nil)
		if isNew {
			batch.CreateItem(client.Encode(followItemOf(f)), nil)
		} else {
			batch.ReplaceItem(found.ID, client.Encode(followItemOf(f)), client.IfMatch(found.ETag))
		}
		_, err = s.users.Execute(ctx, batch, false)
		switch {
		case client.FailedAt(err, 0, http.StatusNotFound):
			return domain.Follow{}, schema.ErrNoUser()
		case client.FailedAt(err, 0, http.StatusPreconditionFailed):
			return domain.Follow{}, s.refused(ctx, userID)
		}
		return f, client.Lost(client.Translate(err))
	})
	if err != nil || f.Version == 0 {
		return f, err
	}
	return f, s.copyToSource(ctx, f)
}

// refused returns why the number of a user's follows could not be changed.
func (s *Follows) refused(ctx context.Context, userID string) error {
	authors, err := s.accounts.Authors(ctx, []string{userID})
	switch {
	case err != nil:
		return err
	case authors[userID].Deleted:
		return schema.ErrNoUser()
	}
	return domain.ErrManyFollows()
}

// Get reads a follow, or the marker of one that has ended. It returns NotFound if there is neither. It costs a point
// read.
func (s *Follows) Get(ctx context.Context, userID string, source domain.Source) (domain.Follow, error) {
	if !domain.IsUserID(userID) || !source.Valid() {
		return domain.Follow{}, &domain.Error{Kind: domain.NotFound}
	}
	item, err := client.Read[followItem](reading.In(ctx), s.users, userID, schema.FollowID(source))
	return item.domain(), client.Translate(err)
}

// Has reports whether a user follows a source. It costs a point read.
func (s *Follows) Has(ctx context.Context, userID string, source domain.Source) (bool, error) {
	f, err := s.Get(ctx, userID, source)
	if domain.Is(err, domain.NotFound) {
		return false, nil
	}
	return err == nil && f.Deleted.IsZero(), err
}

// List returns a page of what a user follows, the latest first. It is one query in the user's partition, and a read of
// each author's present names.
func (s *Follows) List(ctx context.Context, userID string, page int) (domain.ListPage[domain.Follow], error) {
	ctx = reading.In(ctx)
	rows, err := client.Query[followItem](ctx, s.users, userID,
		`SELECT * FROM c WHERE c.userId = @user AND c.type = 'follow'
		 ORDER BY c.type DESC, c.creationDate DESC, c.id DESC OFFSET @offset LIMIT @limit`,
		client.PageOf(page, domain.FollowsPerPage, client.Parameters{"user": userID}))
	if err != nil {
		return domain.ListPage[domain.Follow]{}, client.Translate(err)
	}
	list := domain.Cut(client.Convert(rows, followItem.domain), page, domain.FollowsPerPage)
	return list, s.name(ctx, list.Items, func(f domain.Follow) string { return f.Source.AuthorID })
}

// Each visits all that a user follows, without the present names.
func (s *Follows) Each(ctx context.Context, userID string, visit func(domain.Follow) error) error {
	return client.Translate(client.EachRow(reading.In(ctx), s.users, client.Key(userID),
		`SELECT * FROM c WHERE c.userId = @user AND c.type = 'follow'`, client.Parameters{"user": userID},
		func(i followItem) error { return visit(i.domain()) }))
}

// name sets the present data of the people in a list.
func (s *Follows) name(ctx context.Context, list []domain.Follow, of func(domain.Follow) string) error {
	var ids []string
	for _, f := range list {
		if id := of(f); id != "" {
			ids = append(ids, id)
		}
	}
	people, err := s.accounts.People(ctx, ids)
	for i := range list {
		list[i].Person = people[of(list[i])]
	}
	return err
}

// EraseFollows ends all follows of a deleted account, and those by others of it, and deletes its timeline. It takes one
// step of at most as many follows as the limit.
func (s *Follows) EraseFollows(ctx context.Context, userID string, limit int) (done domain.Step, err error) {
	ctx = client.Erasing.In(ctx)
	rows, err := client.Query[followItem](ctx, s.users, userID,
		fmt.Sprintf("SELECT TOP %d * FROM c WHERE c.userId = @user AND c.type = 'follow'", limit),
		client.Parameters{"user": userID})
	if err != nil {
		return done, client.Translate(err)
	}
	own := domain.AuthorSource(userID)
	var followers []string
	if len(rows) < limit {
		if err := s.Refresh(ctx, own); err != nil {
			return done, err
		}
		if followers, _, err = s.FollowersAfter(ctx, own, "", limit-len(rows)); err != nil {
			return done, err
		}
	}
	for _, row := range rows {
		if err := s.Unfollow(ctx, userID, row.domain().Source); err != nil {
			return done, err
		}
		done.Items++
	}
	for _, follower := range followers {
		if err := s.Unfollow(ctx, follower, own); err != nil {
			return done, err
		}
		done.Items++
	}
	if done.More = done.Items >= limit; done.More {
		return done, nil
	}
	if done.More, err = s.eraseTimeline(ctx, userID); err != nil || done.More {
		return done, err
	}
	return done, s.finishErasure(ctx, userID)
}

// finishErasure deletes the number of followers of an account without follows. Markers of former follows stay until
// they expire: the users projector completes them.
func (s *Follows) finishErasure(ctx context.Context, userID string) error {
	count := schema.FollowersKey(domain.AuthorSource(userID))
	if err := s.users.Delete(ctx, count, schema.FollowersID); err != nil && !client.Missing(err) {
		return client.Translate(err)
	}
	return nil
}
