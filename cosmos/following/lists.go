package following

import (
	"cmp"
	"context"
	"slices"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// All returns all that a user follows, the latest first. It is one query in the user's partition, and a read of each
// author's present names.
func (s *Follows) All(ctx context.Context, userID string) (list []domain.Follow, err error) {
	if err = s.Each(ctx, userID, func(f domain.Follow) error { list = append(list, f); return nil }); err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b domain.Follow) int {
		return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(b.Source.Key(), a.Source.Key()))
	})
	return list, s.name(ctx, list, func(f domain.Follow) string { return f.Source.AuthorID })
}

// Among returns which of some sources, at most domain.FollowsPerPage, a user follows. It is one query in the user's
// partition.
func (s *Follows) Among(ctx context.Context, userID string, sources []domain.Source) (map[domain.Source]bool, error) {
	ids := make([]string, len(sources))
	for i, source := range sources {
		ids[i] = schema.FollowID(source)
	}
	found := make(map[domain.Source]bool, len(sources))
	rows, err := client.Query[followItem](reading.In(ctx), s.users, userID, `SELECT c.authorId, c.tag FROM c
		WHERE c.userId = @user AND c.type = 'follow' AND ARRAY_CONTAINS(@ids, c.id)`,
		client.Parameters{"user": userID, "ids": ids})
	for _, row := range rows {
		found[row.domain().Source] = true
	}
	return found, client.Translate(err)
}
