package moderation_test

import (
	"testing"

	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
	"inkfeed/web/webtest"
)

func TestAdministratorsFeaturePostsFromTheirMenu(t *testing.T) {
	s := webtest.NewSite(t)
	admin, ada := s.SignUp("grace"), s.SignUp("ada")
	s.SetRole(admin, domain.RoleAdministrator)
	feature := func(p domain.Post) string { return `.post .text-actions form[action="/posts/` + p.ID + `/feature"]` }
	t.Run("before the others, and end that", func(t *testing.T) {
		first, second := ada.CreatePost("The first", "text"), ada.CreatePost("The second", "text")
		ada.Get(first.Path()).HasNo(feature(first))
		for _, p := range []domain.Post{first, second} {
			admin.Get(p.Path()).Has(feature(p), "Feature on the front page")
			for range 2 {
				admin.Post("/posts/"+p.ID+"/feature").WantRedirect(303, p.Path())
			}
		}
		s.Anonymous().Get("/").Has(".featured .posts > :first-child", "The second").Has(".featured", "The first")
		form := admin.Get(second.Path()).Page().Find(`.post .text-actions form[action$="/unfeature"]`)
		admin.Post(form.AttrOr("action", "")).Want(303)
		if featured := s.Data.Settings().Info.FeaturedPosts(); len(featured) != 1 || featured[0].PostID != first.ID {
			t.Errorf("featured are %+v", featured)
		}
	})
	t.Run("unless as many as possible are featured, or the post is not public", func(t *testing.T) {
		for range siteinfo.MaxFeatured - 1 {
			p := ada.CreatePost("More", "text")
			admin.Post("/posts/" + p.ID + "/feature").Want(303)
		}
		p := ada.CreatePost("Too many", "text")
		admin.Post("/posts/"+p.ID+"/feature").Want(409).Has("main", "Stop featuring one of them first")
		s.ChangePost(p.ID, func(p *domain.Post) { p.Status = domain.Unlisted })
		admin.Get(p.Path()).HasNo(feature(p))
		admin.Post("/posts/" + p.ID + "/feature").Want(409)
	})
}
