package web_test

import (
	"context"

	"inkfeed/domain"
)

func (f fakeUsers) SetDisplayName(_ context.Context, id, name string) (domain.User, error) {
	leave, err := f.enter("SetDisplayName")
	defer leave()
	if err != nil {
		return domain.User{}, err
	}
	u := f.users[id]
	u.DisplayName = name
	f.users[id] = u
	return u, nil
}
