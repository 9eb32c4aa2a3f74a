package posts

import (
	"inkfeed/cosmos/changefeed"
	"inkfeed/cosmos/client"
	"inkfeed/cosmos/dependency"
	"inkfeed/cosmos/feeds"
	"inkfeed/cosmos/schema"
)

// Changes is the change feed of posts, static pages, comments, likes and bookmarks.
func (p *Posts) Changes() *changefeed.Reader[feeds.PostChange] {
	return changefeed.New(p.c, client.Reads("changes-posts"), changefeed.ByPostID, decodePostChange)
}

func decodePostChange(head changefeed.Head, body []byte) (change feeds.PostChange, relevant bool, err error) {
	switch head.Type {
	case schema.TypePost, schema.TypePage:
		var item PostItem
		err = client.Decode(body, &item)
		post := item.domain()
		change.Post = &post
	case schema.TypeComment, schema.TypeDeletedComment: // a marker is a deleted comment
		var item CommentItem
		err = client.Decode(body, &item)
		comment := item.Domain()
		change.Comment = &comment
	case schema.TypeLike:
		var item LikeItem
		err = client.Decode(body, &item)
		like := item.Domain()
		change.Like = &like
	case schema.TypeBookmark:
		var item bookmarkItem
		err = client.Decode(body, &item)
		bookmark := item.domain()
		change.Bookmark = &bookmark
	default:
		return change, false, nil
	}
	return change, true, err
}

// PostWithoutCounts decodes a post. It returns the counts and version of the post, and an encoding of all other
// properties that pages show. The encodings of two posts are equal if the posts differ in counts and version only.
func PostWithoutCounts(body []byte) (counted dependency.Counts, rest []byte, err error) {
	var post PostItem
	if err := client.Decode(body, &post); err != nil {
		return dependency.Counts{}, nil, err
	}
	counted = dependency.Counts{Version: post.Version, Comments: post.CommentCount, Likes: post.LikeCount}
	post.CommentCount, post.LikeCount, post.Version = 0, 0, 0
	post.News, post.NewsDate = false, nil // no page shows them
	return counted, client.Encode(post), nil
}
