package following

import (
	"context"
	"crypto/sha256"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
)

var repairing = client.Writes("repair-follows")

// storedFollow holds the properties of follows, followers, their numbers, users and entries that a repair compares.
type storedFollow struct {
	ID             string `json:"id"`
	UserID         string `json:"userId"`
	AuthorID       string `json:"authorId"`
	Tag            string `json:"tag"`
	Count          int    `json:"count"`
	FollowingCount int    `json:"followingCount"`
	ETag           string `json:"_etag"`
}

// Repair deletes copies of follows and entries of timelines that belong to no follow, and corrects the numbers of
// follows and of followers. Completing all follows restores what is missing. It keeps a digest of each follow in
// memory.
func (s *Follows) Repair(ctx context.Context) error {
	ctx = repairing.In(ctx)
	live, following := make(map[[16]byte]bool), make(map[string]int)
	err := client.Scan(ctx, s.users, `SELECT c.id, c.userId FROM c WHERE c.type = 'follow'`, nil,
		func(f storedFollow) error {
			live[digest(f.UserID, f.ID)] = true
			following[f.UserID]++
			return nil
		})
	if err == nil {
		err = s.repairFollowers(ctx, live)
	}
	if err == nil {
		err = client.Scan(ctx, s.users, `SELECT c.userId, c.followingCount FROM c WHERE c.type = 'user'`, nil,
			func(u storedFollow) error {
				if u.FollowingCount == following[u.UserID] {
					return nil
				}
				return s.recount(ctx, u.UserID, u.UserID, "follow", "/followingCount")
			})
	}
	if err == nil {
		err = client.Scan(ctx, s.timelines,
			`SELECT c.id, c.userId, c.authorId, c.tag FROM c WHERE c.type != 'mark'`, nil, func(e storedFollow) error {
				source := entryItem{AuthorID: e.AuthorID, Tag: e.Tag}.source()
				if live[digest(e.UserID, schema.FollowID(source))] {
					return nil
				}
				return client.UnlessGone(s.timelines.Delete(ctx, e.UserID, e.ID))
			})
	}
	return client.Translate(err)
}

func digest(userID, followID string) (short [16]byte) {
	sum := sha256.Sum256([]byte(userID + " " + followID))
	copy(short[:], sum[:])
	return short
}

// repairFollowers deletes followers who do not follow, and counts the others.
func (s *Follows) repairFollowers(ctx context.Context, live map[[16]byte]bool) error {
	followers := make(map[string]int)
	err := client.Scan(ctx, s.users, `SELECT c.id, c.userId FROM c WHERE c.type = 'follower'`, nil,
		func(f storedFollow) error {
			key := strings.TrimPrefix(f.UserID, "followers.")
			if !live[digest(f.ID, "follow."+key)] {
				return client.UnlessGone(s.users.Delete(ctx, f.UserID, f.ID))
			}
			followers[f.UserID]++
			return nil
		})
	if err != nil {
		return err
	}
	return client.Scan(ctx, s.users, `SELECT c.userId, c["count"] FROM c WHERE c.type = 'followers'`, nil,
		func(c storedFollow) error {
			if c.Count == followers[c.UserID] {
				return nil
			}
			return s.recount(ctx, c.UserID, schema.FollowersID, "follower", "/count")
		})
}

// recount sets a number in an item to that of the items of a type in its partition. Each change of the number changes
// the item's etag, so recount overwrites none.
func (s *Follows) recount(ctx context.Context, partition, id, itemType, path string) error {
	return client.Rewrite(ctx, func() error {
		item, err := client.Read[storedFollow](ctx, s.users, partition, id)
		if err != nil {
			return client.UnlessGone(err)
		}
		n, err := client.Count(ctx, s.users, partition, `SELECT VALUE COUNT(1) FROM c WHERE c.type = @type`,
			client.Parameters{"type": itemType})
		if err != nil {
			return err
		}
		var ops azcosmos.PatchOperations
		ops.AppendSet(path, n)
		return client.Lost(s.users.PatchVersion(ctx, partition, id, item.ETag, ops))
	})
}
