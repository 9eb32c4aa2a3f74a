package web_test

// decisions states for every route what each actor may do. TestEveryRouteIsDecided fails for a route without a line and
// for a line without a route.
//
// The columns are the actors. "owner" owns the resources in the address. "demoted" owns them too but has become a
// reader. "other" is another author. "reader" may comment, like and bookmark, but not write posts. "suspended" was
// suspended after logging in. The words are:
//
//	ok      the action succeeds, or the page is shown
//	login   the response redirects to the log-in page (htmx: 401 with its address)
//	kept    the response asks to log in and keeps the typed text
//	401     the response asks to log in and keeps nothing: for files and requests of scripts
//	idle    the response succeeds but nothing changes, because the actor has no such resource
//	no      403
//	again   422: the form is shown again, because it lacks the answer of a device
//	none    404, as if the resource did not exist
//
// A form from another site is refused for every actor, and a refused form changes nothing.
var decisions = table(`
                                                anonymous owner demoted other reader moderator administrator suspended

GET /                                           ok        ok    ok      ok    ok     ok        ok            ok
GET /@:username                                 ok        ok    ok      ok    ok     ok        ok            ok
GET /@:username/archive                         ok        ok    ok      ok    ok     ok        ok            ok
GET /@:username/archive/:year                   ok        ok    ok      ok    ok     ok        ok            ok
GET /@:username/feed.atom                       ok        ok    ok      ok    ok     ok        ok            ok
GET /@:username/feed.json                       ok        ok    ok      ok    ok     ok        ok            ok
GET /@:username/feed.rss                        ok        ok    ok      ok    ok     ok        ok            ok
GET /tags/:tag                                  ok        ok    ok      ok    ok     ok        ok            ok
GET /tags/:tag/feed.atom                        ok        ok    ok      ok    ok     ok        ok            ok
GET /tags/:tag/feed.json                        ok        ok    ok      ok    ok     ok        ok            ok
GET /tags/:tag/feed.rss                         ok        ok    ok      ok    ok     ok        ok            ok
GET /feed                                       ok        ok    ok      ok    ok     ok        ok            ok
GET /feed.atom                                  ok        ok    ok      ok    ok     ok        ok            ok
GET /feed.json                                  ok        ok    ok      ok    ok     ok        ok            ok
GET /feed.rss                                   ok        ok    ok      ok    ok     ok        ok            ok
GET /search                                     ok        ok    ok      ok    ok     ok        ok            ok
GET /suggest/tags                               ok        ok    ok      ok    ok     ok        ok            ok
GET /sitemap.xml                                ok        ok    ok      ok    ok     ok        ok            ok
GET /sitemap-:number                            none      none  none    none  none   none      none          none
GET /robots.txt                                 ok        ok    ok      ok    ok     ok        ok            ok
GET /manifest.webmanifest                       ok        ok    ok      ok    ok     ok        ok            ok
GET /oembed                                     ok        ok    ok      ok    ok     ok        ok            ok
GET /favicon.ico                                ok        ok    ok      ok    ok     ok        ok            ok
GET /favicon.svg                                ok        ok    ok      ok    ok     ok        ok            ok
GET /static/:file                               ok        ok    ok      ok    ok     ok        ok            ok
GET /media/:file                                ok        ok    ok      ok    ok     ok        ok            ok
GET /healthz                                    ok        ok    ok      ok    ok     ok        ok            ok
GET /readyz                                     ok        ok    ok      ok    ok     ok        ok            ok

GET /login                                      ok        ok    ok      ok    ok     ok        ok            ok
POST /login                                     ok        ok    ok      ok    ok     ok        ok            ok
GET /signup                                     ok        ok    ok      ok    ok     ok        ok            ok
POST /signup                                    ok        ok    ok      ok    ok     ok        ok            ok
POST /logout                                    ok        ok    ok      ok    ok     ok        ok            ok
GET /goodbye                                    ok        ok    ok      ok    ok     ok        ok            ok

GET /settings                                   login     ok    ok      ok    ok     ok        ok            login
POST /settings/username                         login     ok    ok      ok    ok     ok        ok            login
GET /settings/blocks                            login     ok    ok      ok    ok     ok        ok            login
POST /settings/blocks                           login     ok    ok      ok    ok     ok        ok            login
POST /settings/blocks/remove                    login     ok    ok      ok    ok     ok        ok            login
GET /settings/profile                           login     ok    ok      ok    ok     ok        ok            login
POST /settings/profile                          kept      ok    ok      ok    ok     ok        ok            kept
POST /settings/avatar                           401       ok    ok      ok    ok     ok        ok            401
POST /settings/avatar/remove                    login     ok    ok      ok    ok     ok        ok            login
GET /settings/sessions                          login     ok    ok      ok    ok     ok        ok            login
POST /settings/sessions/end                     login     none  none    none  none   none      none          login
POST /settings/sessions/end-others              login     ok    ok      ok    ok     ok        ok            login
GET /settings/password                          login     ok    ok      ok    ok     ok        ok            login
POST /settings/password                         login     ok    ok      ok    ok     ok        ok            login
GET /settings/email                             login     ok    ok      ok    ok     ok        ok            login
POST /settings/email                            login     ok    ok      ok    ok     ok        ok            login
POST /settings/email/cancel                     login     ok    ok      ok    ok     ok        ok            login
POST /settings/email/remove                     login     ok    ok      ok    ok     ok        ok            login
GET /verify-email/:token                        login     ok    ok      no    no     no        no            login
POST /verify-email/:token                       login     ok    ok      no    no     no        no            login
GET /reset                                      ok        ok    ok      ok    ok     ok        ok            ok
POST /reset                                     ok        ok    ok      ok    ok     ok        ok            ok
GET /reset/:link                                ok        ok    ok      ok    ok     ok        ok            ok
POST /reset/:link                               ok        ok    ok      ok    ok     ok        ok            ok
GET /settings/export                            login     ok    ok      ok    ok     ok        ok            login
GET /settings/import                            login     ok    no      ok    no     ok        ok            login
POST /settings/import                           401       ok    no      ok    no     ok        ok            401
POST /settings/import/preview                   login     ok    no      idle  no     idle      idle          login
POST /settings/import/start                     login     ok    no      idle  no     idle      idle          login
POST /settings/import/discard                   login     ok    no      idle  no     idle      idle          login
GET /settings/import/undo                       login     ok    no      ok    no     ok        ok            login
POST /settings/import/undo                      login     ok    no      idle  no     idle      idle          login
GET /settings/delete                            login     ok    ok      ok    ok     ok        ok            login
POST /settings/delete                           login     ok    ok      ok    ok     ok        ok            login
POST /settings/delete/cancel                    login     ok    ok      ok    ok     ok        ok            login

GET /login/second                               login     ok    ok      ok    ok     ok        ok            login
POST /login/second                              no        no    no      no    no     no        no            no
POST /passkeys/challenge                        401       ok    ok      ok    ok     ok        ok            401
GET /confirm                                    login     ok    ok      ok    ok     ok        ok            login
POST /confirm                                   login     ok    ok      ok    ok     ok        ok            login
GET /settings/security                          login     ok    ok      ok    ok     ok        ok            login
GET /settings/security/password                 login     ok    ok      ok    ok     ok        ok            login
POST /settings/security/password                login     ok    ok      ok    ok     ok        ok            login
GET /settings/security/totp                     login     ok    ok      ok    ok     ok        ok            login
POST /settings/security/totp                    login     idle  idle    idle  idle   idle      idle          login
GET /settings/security/totp/image               login     none  none    none  none   none      none          login
GET /settings/security/totp/delete              login     ok    ok      ok    ok     ok        ok            login
POST /settings/security/totp/delete             login     idle  idle    idle  idle   idle      idle          login
GET /settings/security/recovery                 login     ok    ok      ok    ok     ok        ok            login
POST /settings/security/recovery                login     idle  idle    idle  idle   idle      idle          login
POST /settings/security/recovery/text           login     ok    ok      ok    ok     ok        ok            login
GET /settings/security/passkeys/new             login     ok    ok      ok    ok     ok        ok            login
POST /settings/security/passkeys/new            login     again again   again again  again     again         login
GET /settings/security/passkeys/:passkey        login     ok    ok      none  none   none      none          login
POST /settings/security/passkeys/:passkey       login     ok    ok      none  none   none      none          login
GET /settings/security/passkeys/:passkey/delete login     ok    ok      none  none   none      none          login
POST /settings/security/passkeys/:passkey/delete login     ok    ok      idle  idle   idle      idle          login

GET /new                                        login     ok    no      ok    no     ok        ok            login
POST /posts                                     kept      ok    no      ok    no     ok        ok            kept
POST /preview                                   401       ok    no      ok    no     ok        ok            401
GET /drafts                                     login     ok    no      ok    no     ok        ok            login
GET /drafts/unlisted                            login     ok    no      ok    no     ok        ok            login
POST /drafts/:id                                401       ok    no      none  no     none      none          401
GET /drafts/:id/delete                          login     ok    ok      none  none   none      none          login
POST /drafts/:id/delete                         login     ok    ok      idle  idle   idle      idle          login
GET /preview/:secret                            ok        ok    ok      ok    ok     ok        ok            ok

GET /posts/:id                                  ok        ok    ok      ok    ok     ok        ok            ok
GET /posts/:id/:slug                            ok        ok    ok      ok    ok     ok        ok            ok
GET /posts/:id/edit                             login     ok    no      no    no     no        no            login
POST /posts/:id                                 kept      ok    no      no    no     no        no            kept
GET /posts/:id/unpublish                        login     ok    ok      no    no     no        no            login
POST /posts/:id/unpublish                       login     ok    ok      no    no     no        no            login
GET /posts/:id/delete                           login     ok    ok      no    no     no        no            login
POST /posts/:id/delete                          login     ok    ok      no    no     no        no            login
GET /posts/:id/versions                         login     ok    ok      no    no     no        no            login
GET /posts/:id/versions/:revision               login     ok    ok      no    no     no        no            login
GET /posts/:id/versions/:revision/restore       login     ok    no      no    no     no        no            login
POST /posts/:id/versions/:revision/restore      login     ok    no      no    no     no        no            login

GET /posts/:id/comments                         ok        ok    ok      ok    ok     ok        ok            ok
POST /posts/:id/comments                        kept      ok    ok      ok    ok     ok        ok            kept
GET /posts/:id/comments/:comment                ok        ok    ok      ok    ok     ok        ok            ok
GET /posts/:id/comments/:comment/reply          login     ok    ok      ok    ok     ok        ok            login
GET /posts/:id/comments/:comment/edit           login     ok    ok      no    no     no        no            login
POST /posts/:id/comments/:comment/edit          kept      ok    ok      no    no     no        no            kept
GET /posts/:id/comments/:comment/delete         login     ok    ok      no    no     no        no            login
POST /posts/:id/comments/:comment/delete        login     ok    ok      no    no     no        no            login
POST /posts/:id/comments/close                  login     ok    ok      no    no     no        no            login
POST /posts/:id/comments/open                   login     ok    ok      no    no     no        no            login
POST /posts/:id/comments/:comment/hide          login     ok    ok      no    no     no        no            login
POST /posts/:id/comments/:comment/show          login     ok    ok      no    no     no        no            login
GET /posts/:id/comments/:comment/report         login     no    no      ok    ok     ok        ok            login
POST /posts/:id/comments/:comment/report        kept      no    no      ok    ok     ok        ok            kept
GET /posts/:id/report                           login     no    no      ok    ok     ok        ok            login
POST /posts/:id/report                          kept      no    no      ok    ok     ok        ok            kept
GET /moderation                                 login     no    no      no    no     ok        ok            login
GET /moderation/held                            login     no    no      no    no     ok        ok            login
GET /posts/:id/moderate                         login     no    no      no    no     ok        ok            login
POST /posts/:id/moderate                        login     no    no      no    no     ok        ok            login
GET /posts/:id/comments/:comment/moderate       login     no    no      no    no     ok        ok            login
POST /posts/:id/comments/:comment/moderate      login     no    no      no    no     ok        ok            login
GET /posts/:id/likes                            ok        ok    ok      ok    ok     ok        ok            ok
POST /posts/:id/like                            login     ok    ok      ok    ok     ok        ok            login
POST /posts/:id/unlike                          login     ok    ok      ok    ok     ok        ok            login
GET /bookmarks                                  login     ok    ok      ok    ok     ok        ok            login
GET /notifications                              login     ok    ok      ok    ok     ok        ok            login
POST /posts/:id/bookmark                        login     ok    ok      ok    ok     ok        ok            login
POST /posts/:id/unbookmark                      login     ok    ok      ok    ok     ok        ok            login

GET /images                                     login     ok    no      ok    no     ok        ok            login
POST /images                                    401       ok    no      ok    no     ok        ok            401
POST /images/:name                              login     ok    ok      none  none   none      none          login
GET /images/:name/delete                        login     ok    ok      none  none   none      none          login
POST /images/:name/delete                       login     ok    ok      idle  idle   idle      idle          login

GET /admin                                      login     no    no      no    no     ok        ok            login
GET /admin/users                                login     no    no      no    no     ok        ok            login
POST /admin/users/:id/role                      login     no    no      no    no     no        ok            login
POST /admin/users/:id/suspend                   login     no    no      no    no     ok        ok            login
POST /admin/users/:id/restore                   login     no    no      no    no     ok        ok            login
GET /admin/invitations                          login     no    no      no    no     no        ok            login
POST /admin/invitations                         login     no    no      no    no     no        ok            login
POST /admin/invitations/:code/revoke            login     no    no      no    no     no        ok            login
GET /admin/settings                             login     no    no      no    no     no        ok            login
POST /admin/settings                            login     no    no      no    no     no        ok            login
GET /admin/costs                                login     no    no      no    no     no        ok            login
GET /admin/inspector                            login     no    no      no    no     no        ok            login
POST /admin/inspector                           login     no    no      no    no     no        ok            login
GET /admin/log                                  login     no    no      no    no     ok        ok            login
`)
