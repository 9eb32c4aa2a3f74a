package cosmos

import "context"

// Items says about how many items a container holds, as CountItems does for all.
func (s *Store) Items(ctx context.Context, containerID string) (int, error) {
	items, err := s.countItems(operation(ctx, "count-items"), containerID)
	return items, translate(err)
}
