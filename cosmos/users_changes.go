package cosmos

import (
	"inkfeed/cosmos/changefeed"
	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// Changes is the change feed of users, and of drafts that are new or scheduled. The
// container's other items are left out.
func (u *Users) Changes() *changefeed.ChangeFeed[domain.UserChange] {
	return changefeed.New(u.c, "changes-users", changefeed.ByUserID, decodeUserChange)
}

func decodeUserChange(head changefeed.Head, body []byte) (change domain.UserChange, relevant bool, err error) {
	switch head.Type { // credentials in particular go no further
	case schema.TypeUser:
		var item userItem
		err = client.Decode(body, &item)
		user := item.domain()
		return domain.UserChange{User: &user}, true, err
	case schema.TypeDraft:
		var item draftItem
		err = client.Decode(body, &item)
		draft := item.domain()
		if err == nil && draft.Version > 1 && draft.Publish.IsZero() {
			return change, false, nil
		}
		return domain.UserChange{Draft: &draft}, true, err
	}
	return change, false, nil
}
