package pages

import "inkfeed/domain/locale"

// privacyParts says what the software stores. A change of what is stored, or for how long, changes this text.
func privacyParts() []locale.Message {
	return []locale.Message{
		locale.M("*Complete the sentences in italics, and ask someone who knows the law of your country. The rest " +
			"says what the software behind this site stores.*"),
		locale.M("## Who is responsible"),
		locale.M("*Enter the name and the address of the person or organisation that runs this site.*"),
		locale.M("## Visitors without an account"),
		locale.M("You can read this site without an account. It contains no advertising, no analytics and nothing " +
			"that other companies load into your browser, unless a post links to it. *If you use such services, name " +
			"them here.*"),
		locale.M("To stop abuse, the server counts some requests, such as attempts to log in, by the network address " +
			"(IP address) that they come from. It keeps the counters in memory or stores them under a digest instead " +
			"of the address. A counter ends minutes to hours later. The server's log has no addresses of visitors. " +
			"*Say what your hosting provider and your proxy log.*"),
		locale.M("## Cookies"),
		locale.M("The site sets only cookies that it needs to work:"),
		locale.M("- a session cookie while you are logged in, until 30 days after your last visit\n" +
			"- a cookie for five seconds after you have sent a form, so that you see your own change\n" +
			"- a cookie for ten minutes between the two steps of logging in\n" +
			"- a cookie for a year that recognises, on the log-in page only, a browser that has logged in before, so " +
			"that wrong passwords from elsewhere do not lock you out\n" +
			"- for administrators only, a cookie that says whether they see the costs of a page"),
		locale.M("While you write, your browser also stores text that has not reached the server yet. It stays in " +
			"that browser until it is saved."),
		locale.M("## Accounts"),
		locale.M("If you create an account, the site stores:"),
		locale.M("- your username and, if you enter them, your display name, a text about you and a picture\n" +
			"- a hash of your password, from which nobody can read the password, and what you use for two-step " +
			"verification and passkeys\n" +
			"- your email address, if you enter one. It is not shown to others. It is used for links that set a new " +
			"password and for messages about your account\n" +
			"- for each session the kind of browser, the times of the log-in and of the last visit. A session is " +
			"deleted 30 days after its last use, or when you end it in your settings\n" +
			"- the day of your last visit. Moderators see it. It is deleted with your account"),
		locale.M("## What you write"),
		locale.M("The site stores what you publish: posts with their past versions, comments, likes and pictures, " +
			"with their times. Others can see it together with your name, except past versions. Hidden data in " +
			"photos, such as the place where they were taken, is removed when you upload them. Drafts, bookmarks " +
			"and the lists of what you have blocked and muted are stored too. Only you can see them, unless you " +
			"share a link to a draft. Notifications are deleted after 60 days."),
		locale.M("Everyone can see which authors and tags you follow and who follows you, unless you hide these " +
			"lists in your settings. The numbers stay visible, and authors still see that you follow them. If you " +
			"mention someone in a text, your text links to them."),
		locale.M("If you report a text, moderators see the report with your name. What moderators and administrators " +
			"do is recorded in a log, with the names of the people concerned. Its entries are deleted after 13 " +
			"months."),
		locale.M("## Posts by email"),
		locale.M("If you subscribe by email, the site stores your address, what you get and how often, and when and " +
			"on which page you agreed to what. An address that is not confirmed is deleted after 48 hours. The " +
			"author whose posts you get sees the address, or the name of your account if you have one. The emails " +
			"do not report whether you open them. Each has a link where you can see, export and delete all of " +
			"this. After that, the site remembers for a year, without the address, that you don't want these emails."),
		locale.M("## Who receives the data"),
		locale.M("*Name your hosting provider, the provider of the database and the mail service, and the countries " +
			"they are in.*"),
		locale.M("## Your data, and how to delete it"),
		locale.M("You can download what you have written, with your pictures, in [your settings](/settings/export) " +
			"at any time."),
		locale.M("You can [delete your account](/settings/delete) yourself. Its posts, comments, likes, drafts and " +
			"pictures are then deleted. If the site has set a waiting time, you can cancel until it ends. A note " +
			"without your name that the account has existed is deleted 30 days later. Backups may contain the data " +
			"for longer. *Say for how long you keep backups.*"),
		locale.M("You may also ask for information about your data, and have it corrected or deleted. *Say where " +
			"people can write to, and which authority they can complain to.*"),
	}
}
