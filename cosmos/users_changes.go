package cosmos

import (
	"inkfeed/domain"
)

// Changes is the change feed of users, and of drafts that are new or scheduled. The
// container's other items are left out.
func (u *Users) Changes() *ChangeFeed[domain.UserChange] {
	return newChangeFeed(u.c, "changes-users", byUserID, decodeUserChange)
}

func decodeUserChange(head changeHead, body []byte) (change domain.UserChange, relevant bool, err error) {
	switch head.Type { // credentials in particular go no further
	case typeUser:
		var item userItem
		err = decode(body, &item)
		user := item.domain()
		return domain.UserChange{User: &user}, true, err
	case typeDraft:
		var item draftItem
		err = decode(body, &item)
		draft := item.domain()
		if err == nil && draft.Version > 1 && draft.Publish.IsZero() {
			return change, false, nil
		}
		return domain.UserChange{Draft: &draft}, true, err
	}
	return change, false, nil
}
