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
//	kept    the response asks to log in, or says that the account is suspended, and keeps the typed text
//	401     the response asks to log in and keeps nothing: for files and requests of scripts
//	idle    the response succeeds but nothing changes, because the actor has no such resource
//	no      403
//	told    403: the response says that the account is suspended, why, and whom to contact
//	again   422: the form is shown again, because it lacks the answer of a device
//	none    404, as if the resource did not exist
//
// A form from another site is refused for every actor, and a refused form changes nothing.
var decisions = table(`
                                                anonymous owner demoted other reader moderator administrator suspended

GET /                                           ok        ok    ok      ok    ok     ok        ok            told
GET /posts                                      none      none  none    none  none   none      none          none
GET /tags                                       ok        ok    ok      ok    ok     ok        ok            told
GET /authors                                    ok        ok    ok      ok    ok     ok        ok            told
GET /@:username                                 ok        ok    ok      ok    ok     ok        ok            told
POST /@:username/mute                           login     again again    ok    ok     ok        ok            told
POST /@:username/unmute                         login     again again   ok    ok     ok        ok            told
GET /@:username/archive                         ok        ok    ok      ok    ok     ok        ok            told
GET /@:username/archive/:year                   ok        ok    ok      ok    ok     ok        ok            told
GET /@:username/feed                            ok        ok    ok      ok    ok     ok        ok            ok
GET /@:username/feed.atom                       ok        ok    ok      ok    ok     ok        ok            ok
GET /@:username/feed.json                       ok        ok    ok      ok    ok     ok        ok            ok
GET /@:username/feed.rss                        ok        ok    ok      ok    ok     ok        ok            ok
GET /@:username/series                          ok        ok    ok      ok    ok     ok        ok            told
GET /@:username/series/:series                  ok        ok    ok      ok    ok     ok        ok            told
GET /@:username/series/:series/feed             ok        ok    ok      ok    ok     ok        ok            ok
GET /@:username/series/:series/feed.atom        ok        ok    ok      ok    ok     ok        ok            ok
GET /@:username/series/:series/feed.json        ok        ok    ok      ok    ok     ok        ok            ok
GET /@:username/series/:series/feed.rss         ok        ok    ok      ok    ok     ok        ok            ok
GET /@:username/followers                       ok        ok    ok      ok    ok     ok        ok            told
GET /@:username/following                       ok        ok    ok      ok    ok     ok        ok            told
POST /@:username/follow                         login     again again   ok    ok     ok        ok            told
POST /@:username/unfollow                       login     ok    ok      ok    ok     ok        ok            told
POST /tags/:tag/follow                          login     ok    ok      ok    ok     ok        ok            told
POST /tags/:tag/unfollow                        login     ok    ok      ok    ok     ok        ok            told
GET /following                                  login     ok    ok      ok    ok     ok        ok            told
GET /following/posts                            login     ok    ok      ok    ok     ok        ok            told
GET /following/feed/:feed                       ok        ok    ok      ok    ok     ok        ok            ok
POST /following/front                           login     ok    ok      ok    ok     ok        ok            told
POST /subscribe                                 ok        ok    ok      ok    ok     ok        ok            told
POST /@:username/subscribe                      ok        ok    ok      ok    ok     ok        ok            told
POST /@:username/series/:series/subscribe       ok        ok    ok      ok    ok     ok        ok            told
POST /tags/:tag/subscribe                       ok        ok    ok      ok    ok     ok        ok            told
GET /mail/:key                                  ok        ok    ok      ok    ok     ok        ok            ok
POST /mail/:key                                 ok        ok    ok      ok    ok     ok        ok            ok
GET /mail/:key/confirm                          ok        ok    ok      ok    ok     ok        ok            ok
POST /mail/:key/confirm                         ok        ok    ok      ok    ok     ok        ok            ok
GET /mail/:key/unsubscribe                      ok        ok    ok      ok    ok     ok        ok            ok
POST /mail/:key/unsubscribe                     ok        ok    ok      ok    ok     ok        ok            ok
GET /mail/:key/export                           ok        ok    ok      ok    ok     ok        ok            ok
GET /settings/mail                              login     ok    ok      ok    ok     ok        ok            told
POST /settings/mail                             login     ok    ok      ok    ok     ok        ok            told
GET /tags/:tag                                  ok        ok    ok      ok    ok     ok        ok            told
POST /tags/:tag/mute                            login     ok    ok      ok    ok     ok        ok            told
POST /tags/:tag/unmute                          login     ok    ok      ok    ok     ok        ok            told
GET /tags/:tag/feed                             ok        ok    ok      ok    ok     ok        ok            ok
GET /tags/:tag/feed.atom                        ok        ok    ok      ok    ok     ok        ok            ok
GET /tags/:tag/feed.json                        ok        ok    ok      ok    ok     ok        ok            ok
GET /tags/:tag/feed.rss                         ok        ok    ok      ok    ok     ok        ok            ok
GET /feed                                       ok        ok    ok      ok    ok     ok        ok            ok
GET /feed.atom                                  ok        ok    ok      ok    ok     ok        ok            ok
GET /feed.json                                  ok        ok    ok      ok    ok     ok        ok            ok
GET /feed.rss                                   ok        ok    ok      ok    ok     ok        ok            ok
GET /search                                     ok        ok    ok      ok    ok     ok        ok            told
GET /suggest/tags                               ok        ok    ok      ok    ok     ok        ok            ok
GET /sitemap.xml                                ok        ok    ok      ok    ok     ok        ok            ok
GET /sitemap-:number                            none      none  none    none  none   none      none          none
GET /robots.txt                                 ok        ok    ok      ok    ok     ok        ok            ok
GET /manifest.webmanifest                       ok        ok    ok      ok    ok     ok        ok            ok
GET /oembed                                     ok        ok    ok      ok    ok     ok        ok            ok
GET /favicon.ico                                ok        ok    ok      ok    ok     ok        ok            ok
GET /favicon.svg                                ok        ok    ok      ok    ok     ok        ok            ok
GET /accent/:file                                ok        ok    ok      ok    ok     ok        ok            ok
GET /brand/css/:file                            ok        ok    ok      ok    ok     ok        ok            ok
GET /brand/:file                                 none      none  none    none  none   none      none          none
GET /static/:file                               ok        ok    ok      ok    ok     ok        ok            ok
GET /static/texts/:file                         ok        ok    ok      ok    ok     ok        ok            ok
GET /media/:file                                ok        ok    ok      ok    ok     ok        ok            ok
GET /healthz                                    ok        ok    ok      ok    ok     ok        ok            ok
GET /readyz                                     ok        ok    ok      ok    ok     ok        ok            ok
POST /mail/bounces                              none      none  none    none  none   none      none          none

GET /welcome                                    login     ok    ok      ok    ok     ok        ok            told
GET /login                                      ok        ok    ok      ok    ok     ok        ok            told
POST /login                                     ok        ok    ok      ok    ok     ok        ok            ok
GET /signup                                     ok        ok    ok      ok    ok     ok        ok            told
POST /signup                                    ok        ok    ok      ok    ok     ok        ok            ok
POST /logout                                    ok        ok    ok      ok    ok     ok        ok            ok
GET /goodbye                                    ok        ok    ok      ok    ok     ok        ok            told

GET /settings                                   login     ok    ok      ok    ok     ok        ok            told
POST /settings/language                         login     ok    ok      ok    ok     ok        ok            told
POST /settings/username                         login     ok    ok      ok    ok     ok        ok            told
GET /settings/following                         login     ok    ok      ok    ok     ok        ok            told
GET /settings/following/opml                    login     ok    ok      ok    ok     ok        ok            told
POST /settings/following/remove                 login     ok    ok      ok    ok     ok        ok            told
POST /settings/following/lists                  login     ok    ok      ok    ok     ok        ok            told
POST /settings/following/feed                   login     ok    ok      ok    ok     ok        ok            told
POST /settings/following/import                 login     ok    ok      ok    ok     ok        ok            told
GET /settings/newsletter                        login     ok    no      ok    no     ok        ok            told
POST /settings/newsletter                       login     ok    no      ok    no     ok        ok            told
POST /settings/newsletter/end                   login     none  no      none  no     none      none          told
GET /settings/newsletter/export                 login     ok    ok      ok    ok     ok        ok            told
GET /settings/newsletter/import                 login     ok    no      ok    no     ok        ok            told
POST /settings/newsletter/import                login     ok    no      ok    no     ok        ok            told
GET /posts/:id/mail-preview                     login     ok    no      none  no     none      none          told
GET /posts/:id/mail-preview/html                login     ok    no      none  no     none      none          told
POST /posts/:id/mail-preview                    login     again   no      none  no     none      none          told
GET /settings/blocks                            login     ok    ok      ok    ok     ok        ok            told
POST /settings/blocks                           login     ok    ok      ok    ok     ok        ok            told
POST /settings/blocks/remove                    login     ok    ok      ok    ok     ok        ok            told
GET /settings/mutes                             login     ok    ok      ok    ok     ok        ok            told
POST /settings/mutes/remove                     login     ok    ok      ok    ok     ok        ok            told
GET /settings/notifications                     login     ok    ok      ok    ok     ok        ok            told
POST /settings/notifications                    login     ok    ok      ok    ok     ok        ok            told
GET /settings/profile                           login     ok    ok      ok    ok     ok        ok            told
POST /settings/profile                          kept      ok    ok      ok    ok     ok        ok            kept
POST /settings/avatar                           401       ok    ok      ok    ok     ok        ok            told
GET /settings/header                            login     ok    no      ok    no     ok        ok            told
POST /settings/header                           401       ok    no      ok    no     ok        ok            told
POST /settings/avatar/remove                    login     ok    ok      ok    ok     ok        ok            told
GET /settings/sessions                          login     ok    ok      ok    ok     ok        ok            told
POST /settings/sessions/end                     login     none  none    none  none   none      none          told
POST /settings/sessions/end-others              login     ok    ok      ok    ok     ok        ok            told
GET /.well-known/change-password                ok        ok    ok      ok    ok     ok        ok            ok
GET /settings/password                          login     ok    ok      ok    ok     ok        ok            told
POST /settings/password                         login     ok    ok      ok    ok     ok        ok            told
GET /settings/email                             login     ok    ok      ok    ok     ok        ok            told
POST /settings/email                            login     ok    ok      ok    ok     ok        ok            told
POST /settings/email/cancel                     login     ok    ok      ok    ok     ok        ok            told
POST /settings/email/remove                     login     ok    ok      ok    ok     ok        ok            told
GET /verify-email/:token                        login     ok    ok      no    no     no        no            told
POST /verify-email/:token                       login     ok    ok      no    no     no        no            told
GET /reset                                      ok        ok    ok      ok    ok     ok        ok            ok
POST /reset                                     ok        ok    ok      ok    ok     ok        ok            ok
GET /reset/:link                                ok        ok    ok      ok    ok     ok        ok            ok
POST /reset/:link                               ok        ok    ok      ok    ok     ok        ok            ok
GET /settings/export                            login     ok    ok      ok    ok     ok        ok            told
GET /settings/import                            login     ok    no      ok    no     ok        ok            told
POST /settings/import                           401       ok    no      ok    no     ok        ok            told
POST /settings/import/preview                   login     ok    no      idle  no     idle      idle          told
POST /settings/import/start                     login     ok    no      idle  no     idle      idle          told
POST /settings/import/discard                   login     ok    no      idle  no     idle      idle          told
GET /settings/import/undo                       login     ok    no      ok    no     ok        ok            told
POST /settings/import/undo                      login     ok    no      idle  no     idle      idle          told
GET /settings/delete                            login     ok    ok      ok    ok     ok        ok            told
POST /settings/delete                           login     ok    ok      ok    ok     ok        ok            told
POST /settings/delete/cancel                    login     ok    ok      ok    ok     ok        ok            told

GET /login/second                               login     ok    ok      ok    ok     ok        ok            told
POST /login/second                              no        no    no      no    no     no        no            no
POST /passkeys/challenge                        401       ok    ok      ok    ok     ok        ok            told
GET /confirm                                    login     ok    ok      ok    ok     ok        ok            told
POST /confirm                                   login     ok    ok      ok    ok     ok        ok            told
GET /settings/security                          login     ok    ok      ok    ok     ok        ok            told
GET /settings/security/password                 login     ok    ok      ok    ok     ok        ok            told
POST /settings/security/password                login     ok    ok      ok    ok     ok        ok            told
GET /settings/security/totp                     login     ok    ok      ok    ok     ok        ok            told
POST /settings/security/totp                    login     idle  idle    idle  idle   idle      idle          told
GET /settings/security/totp/image               login     none  none    none  none   none      none          told
GET /settings/security/totp/delete              login     ok    ok      ok    ok     ok        ok            told
POST /settings/security/totp/delete             login     idle  idle    idle  idle   idle      idle          told
GET /settings/security/recovery                 login     ok    ok      ok    ok     ok        ok            told
POST /settings/security/recovery                login     idle  idle    idle  idle   idle      idle          told
POST /settings/security/recovery/text           login     ok    ok      ok    ok     ok        ok            told
GET /settings/security/passkeys/new             login     ok    ok      ok    ok     ok        ok            told
POST /settings/security/passkeys/new            login     again again   again again  again     again         told
GET /settings/security/passkeys/:passkey        login     ok    ok      none  none   none      none          told
POST /settings/security/passkeys/:passkey       login     ok    ok      none  none   none      none          told
GET /settings/security/passkeys/:passkey/delete login     ok    ok      none  none   none      none          told
POST /settings/security/passkeys/:passkey/delete login     ok    ok      idle  idle   idle      idle          told

GET /new                                        login     ok    no      ok    no     ok        ok            told
POST /posts                                     kept      ok    no      ok    no     ok        ok            kept
POST /preview                                   401       ok    no      ok    no     ok        ok            401
GET /drafts                                     login     ok    ok      ok    ok     ok        ok            told
GET /drafts/:id                                 login     ok    ok      none  none   none      none          told
GET /trash                                      login     ok    ok      ok    ok     ok        ok            told
GET /drafts/unlisted                            login     ok    ok      ok    ok     ok        ok            told
POST /drafts/:id                                401       ok    no      none  no     none      none          told
GET /drafts/:id/delete                          login     ok    ok      none  none   none      none          told
POST /drafts/:id/delete                         login     ok    ok      idle  idle   idle      idle          told
GET /preview/:secret                            ok        ok    ok      ok    ok     ok        ok            told

GET /posts/:id                                  ok        ok    ok      ok    ok     ok        ok            told
GET /posts/:id/:slug                            ok        ok    ok      ok    ok     ok        ok            told
GET /posts/:id/edit                             login     ok    no      no    no     no        no            told
POST /posts/:id                                 kept      ok    no      no    no     no        no            kept
POST /posts/:id/pin                             login     ok    ok      no    no     no        no            told
POST /posts/:id/unpin                           login     ok    ok      no    no     no        no            told
GET /@:username/series/:series/rename           login     ok    no      no    no     no        no            told
POST /@:username/series/:series/rename          kept      ok    no      no    no     no        no            kept
GET /posts/:id/unpublish                        login     ok    ok      no    no     no        no            told
POST /posts/:id/unpublish                       login     ok    ok      no    no     no        no            told
GET /posts/:id/delete                           login     ok    ok      no    no     no        no            told
POST /posts/:id/delete                          login     ok    ok      no    no     no        no            told
POST /posts/:id/restore                         login     ok    no      no    no     no        no            told
GET /posts/:id/erase                            login     ok    ok      no    no     no        no            told
POST /posts/:id/erase                           login     ok    ok      no    no     no        no            told
POST /posts/:id/feature                         login     no    no      no    no     no        ok            told
POST /posts/:id/unfeature                       login     no    no      no    no     no        ok            told
GET /posts/:id/versions                         login     ok    ok      no    no     no        no            told
GET /posts/:id/versions/:revision               login     ok    ok      no    no     no        no            told
GET /posts/:id/versions/:revision/restore       login     ok    no      no    no     no        no            told
POST /posts/:id/versions/:revision/restore      login     ok    no      no    no     no        no            told

GET /posts/:id/comments                         ok        ok    ok      ok    ok     ok        ok            told
POST /posts/:id/comments                        kept      ok    ok      ok    ok     ok        ok            kept
GET /posts/:id/comments/:comment                ok        ok    ok      ok    ok     ok        ok            told
GET /posts/:id/comments/:comment/reply          login     ok    ok      ok    ok     ok        ok            told
GET /posts/:id/comments/:comment/edit           login     ok    ok      no    no     no        no            told
POST /posts/:id/comments/:comment/edit          kept      ok    ok      no    no     no        no            kept
GET /posts/:id/comments/:comment/delete         login     ok    ok      no    no     no        no            told
POST /posts/:id/comments/:comment/delete        login     ok    ok      no    no     no        no            told
POST /posts/:id/comments/close                  login     ok    ok      no    no     no        no            told
POST /posts/:id/comments/open                   login     ok    ok      no    no     no        no            told
POST /posts/:id/comments/:comment/hide          login     ok    ok      no    no     no        no            told
POST /posts/:id/comments/:comment/show          login     ok    ok      no    no     no        no            told
GET /posts/:id/comments/:comment/report         login     no    no      ok    ok     ok        ok            told
POST /posts/:id/comments/:comment/report        kept      no    no      ok    ok     ok        ok            kept
GET /posts/:id/report                           login     no    no      ok    ok     ok        ok            told
POST /posts/:id/report                          kept      no    no      ok    ok     ok        ok            kept
GET /moderation                                 login     no    no      no    no     ok        ok            told
GET /moderation/held                            login     no    no      no    no     ok        ok            told
GET /posts/:id/moderate                         login     no    no      no    no     ok        ok            told
POST /posts/:id/moderate                        login     no    no      no    no     ok        ok            told
GET /posts/:id/comments/:comment/moderate       login     no    no      no    no     ok        ok            told
POST /posts/:id/comments/:comment/moderate      login     no    no      no    no     ok        ok            told
GET /posts/:id/card.png                         ok        ok    ok      ok    ok     ok        ok            ok
GET /posts/:id/likes                            ok        ok    ok      ok    ok     ok        ok            told
POST /posts/:id/mute                            login     ok    ok      ok    ok     ok        ok            told
POST /posts/:id/unmute                          login     ok    ok      ok    ok     ok        ok            told
POST /posts/:id/like                            login     ok    ok      ok    ok     ok        ok            told
POST /posts/:id/unlike                          login     ok    ok      ok    ok     ok        ok            told
GET /bookmarks                                  login     ok    ok      ok    ok     ok        ok            told
GET /notifications                              login     ok    ok      ok    ok     ok        ok            told
POST /posts/:id/bookmark                        login     ok    ok      ok    ok     ok        ok            told
POST /posts/:id/unbookmark                      login     ok    ok      ok    ok     ok        ok            told

GET /images                                     login     ok    no      ok    no     ok        ok            told
POST /images                                    401       ok    no      ok    no     ok        ok            told
POST /images/:name                              kept      ok    ok      none  none   none      none          kept
GET /images/:name/delete                        login     ok    ok      none  none   none      none          told
POST /images/:name/delete                       login     ok    ok      idle  idle   idle      idle          told

GET /admin                                      login     no    no      no    no     ok        ok            told
GET /admin/users                                login     no    no      no    no     ok        ok            told
GET /admin/comments                             login     no    no      no    no     ok        ok            told
POST /admin/users/:id/role                      login     no    no      no    no     no        ok            told
POST /admin/users/:id/suspend                   login     no    no      no    no     ok        ok            told
POST /admin/users/:id/restore                   login     no    no      no    no     ok        ok            told
GET /admin/invitations                          login     no    no      no    no     no        ok            told
POST /admin/invitations                         kept      no    no      no    no     no        ok            kept
POST /admin/invitations/:code/revoke            login     no    no      no    no     no        ok            told
GET /admin/addresses                            login     no    no      no    no     no        ok            told
POST /admin/addresses                           login     no    no      no    no     no        ok            told
POST /admin/addresses/assign                    kept      no    no      no    no     no        ok            kept
GET /admin/settings                             login     no    no      no    no     no        ok            told
POST /admin/settings                            login     no    no      no    no     no        ok            told
GET /admin/settings/accent                      login     no    no      no    no     no        ok            told
POST /admin/settings/preview                    login     no    no      no    no     no        ok            told
POST /admin/settings/look/restore               login     no    no      no    no     no        ok            told
GET /admin/setup                                login     no    no      no    no     no        ok            told
POST /admin/setup                               kept      no    no      no    no     no        ok            kept
POST /admin/samples                             login     no    no      no    no     no        ok            told
POST /admin/samples/delete                      login     no    no      no    no     no        ok            told
GET /admin/pages                                login     no    no      no    no     no        ok            told
POST /admin/pages                               kept      no    no      no    no     no        ok            kept
GET /admin/pages/new                            login     no    no      no    no     no        ok            told
GET /admin/pages/:page                          login     no    no      no    no     no        ok            told
POST /admin/pages/:page                         kept      no    no      no    no     no        ok            kept
GET /admin/pages/export                         login     no    no      no    no     no        ok            told
GET /admin/pages/import                         login     no    no      no    no     no        ok            told
POST /admin/pages/import                        login     no    no      no    no     no        again         told
GET /admin/pages/:page/delete                   login     no    no      no    no     no        ok            told
POST /admin/pages/:page/delete                  login     no    no      no    no     no        ok            told
POST /admin/pages/move                          login     no    no      no    no     no        ok            told
POST /admin/pages/outline                       login     no    no      no    no     no        ok            told
GET /admin/deliveries                           login     no    no      no    no     no        ok            told
GET /admin/deliveries/:destination              login     no    no      no    no     no        ok            told
POST /admin/deliveries/:destination             login     no    no      no    no     no        ok            told
GET /admin/costs                                login     no    no      no    no     no        ok            told
GET /admin/inspector                            login     no    no      no    no     no        ok            told
POST /admin/inspector                           login     no    no      no    no     no        ok            told
GET /admin/log                                  login     no    no      no    no     ok        ok            told
`)
