package cosmos

import (
	"inkfeed/domain"
)

// Changes is the change feed of posts, comments, likes and bookmarks.
func (p *Posts) Changes() *ChangeFeed[domain.PostChange] {
	return newChangeFeed(p.c, "changes-posts", byPostID, decodePostChange)
}

func decodePostChange(head changeHead, body []byte) (change domain.PostChange, relevant bool, err error) {
	switch head.Type {
	case typePost:
		var item postItem
		err = decode(body, &item)
		post := item.domain()
		change.Post = &post
	case typeComment:
		var item commentItem
		err = decode(body, &item)
		comment := item.domain()
		change.Comment = &comment
	case typeLike:
		var item likeItem
		err = decode(body, &item)
		like := item.domain()
		change.Like = &like
	case typeBookmark:
		var item bookmarkItem
		err = decode(body, &item)
		bookmark := item.domain()
		change.Bookmark = &bookmark
	default:
		return change, false, nil
	}
	return change, true, err
}

// postWithoutCounts reads a post's counts and version, and the rest of its properties as a text that
// is the same for posts that differ in these only.
func postWithoutCounts(body []byte) (counted domain.Counted, rest []byte, err error) {
	var post postItem
	if err := decode(body, &post); err != nil {
		return domain.Counted{}, nil, err
	}
	counted = domain.Counted{Version: post.Version, Comments: post.CommentCount, Likes: post.LikeCount}
	post.CommentCount, post.LikeCount, post.Version = 0, 0, 0
	return counted, encode(post), nil
}
