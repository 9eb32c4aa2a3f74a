package following

import (
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

func (s *suite) repaired(t *testing.T) {
	ctx := t.Context()
	ada, bob, author := s.MustUser(t), s.MustUser(t), s.MustUser(t)
	source := domain.AuthorSource(author.ID)
	s.complete(t, s.follow(t, ada, source, 1))
	s.follow(t, bob, source, 2)
	kept := s.add(t, author, 1, ada, bob)
	users := s.Container(schema.UsersContainer)
	fixture.Check(t, users.Delete(ctx, bob.ID, schema.FollowID(source))) // as an operator might
	wrong := func(path string) (ops azcosmos.PatchOperations) {
		ops.AppendSet(path, 7)
		return ops
	}
	fixture.Check(t, users.Patch(ctx, ada.ID, ada.ID, wrong("/followingCount")))
	fixture.Check(t, users.Patch(ctx, schema.FollowersKey(source), schema.FollowersID, wrong("/count")))
	for range 2 {
		fixture.Check(t, s.Follows.Repair(ctx))
		s.wantFollow(t, ada, source, true, 1, 1)
		s.wantFollow(t, bob, source, false, 0, 1)
		s.wantTimeline(t, ada, kept.PostID)
		s.wantTimeline(t, bob)
	}
}
