#if Service
/// The files of the page, which the program contains.
enum PageFiles {
  static let all = [top, styles, core, parts, views].flatMap(\.self)

  /// The document, its start, and what makes it an app.
  private static let top = [
    PageFile("app.js", PackageResources.app_js),
    PageFile("icon-192.png", PackageResources.icon_192_png),
    PageFile("icon-512.png", PackageResources.icon_512_png),
    PageFile("icon.svg", PackageResources.icon_svg),
    PageFile("index.html", PackageResources.index_html),
    PageFile("manifest.webmanifest", PackageResources.manifest_webmanifest),
    PageFile("worker.js", PackageResources.worker_js),
  ]

  /// Colors and layout.
  private static let styles = [
    PageFile("styles/base.css", PackageResources.base_css),
    PageFile("styles/controls.css", PackageResources.controls_css),
    PageFile("styles/form.css", PackageResources.form_css),
    PageFile("styles/habit.css", PackageResources.habit_css),
    PageFile("styles/habits.css", PackageResources.habits_css),
    PageFile("styles/lists.css", PackageResources.lists_css),
    PageFile("styles/parts.css", PackageResources.parts_css),
    PageFile("styles/rows.css", PackageResources.rows_css),
    PageFile("styles/shell.css", PackageResources.shell_css),
    PageFile("styles/today.css", PackageResources.today_css),
  ]

  /// What every view uses.
  private static let core = [
    PageFile("core/actions.js", PackageResources.actions_js),
    PageFile("core/alerts.js", PackageResources.alerts_js),
    PageFile("core/api.js", PackageResources.api_js),
    PageFile("core/connection.js", PackageResources.connection_js),
    PageFile("core/documents.js", PackageResources.documents_js),
    PageFile("core/dom.js", PackageResources.dom_js),
    PageFile("core/drafts.js", PackageResources.drafts_js),
    PageFile("core/event-words.js", PackageResources.event_words_js),
    PageFile("core/icons.js", PackageResources.icons_js),
    PageFile("core/kept.js", PackageResources.kept_js),
    PageFile("core/keys.js", PackageResources.keys_js),
    PageFile("core/list.js", PackageResources.list_js),
    PageFile("core/live.js", PackageResources.live_js),
    PageFile("core/messages.js", PackageResources.messages_js),
    PageFile("core/offline.js", PackageResources.offline_js),
    PageFile("core/router.js", PackageResources.router_js),
    PageFile("core/rows.js", PackageResources.rows_js),
    PageFile("core/rule-words.js", PackageResources.rule_words_js),
    PageFile("core/session.js", PackageResources.session_js),
    PageFile("core/times.js", PackageResources.times_js),
    PageFile("core/words.js", PackageResources.words_js),
  ]

  /// What views are made of.
  private static let parts = [
    PageFile("parts/access-list.js", PackageResources.access_list_js),
    PageFile("parts/amount-dialog.js", PackageResources.amount_dialog_js),
    PageFile("parts/browser-alerts.js", PackageResources.browser_alerts_js),
    PageFile("parts/copy-field.js", PackageResources.copy_field_js),
    PageFile("parts/day-dialog.js", PackageResources.day_dialog_js),
    PageFile("parts/day-rail.js", PackageResources.day_rail_js),
    PageFile("parts/day-rows.js", PackageResources.day_rows_js),
    PageFile("parts/dialog.js", PackageResources.dialog_js),
    PageFile("parts/empty.js", PackageResources.empty_js),
    PageFile("parts/habit-fields.js", PackageResources.habit_fields_js),
    PageFile("parts/habit-row.js", PackageResources.habit_row_js),
    PageFile("parts/heat-map.js", PackageResources.heat_map_js),
    PageFile("parts/invite-dialog.js", PackageResources.invite_dialog_js),
    PageFile("parts/menu.js", PackageResources.menu_js),
    PageFile("parts/next-times.js", PackageResources.next_times_js),
    PageFile("parts/note-dialog.js", PackageResources.note_dialog_js),
    PageFile("parts/pause-dialog.js", PackageResources.pause_dialog_js),
    PageFile("parts/qr-code.js", PackageResources.qr_code_js),
    PageFile("parts/rebuild.js", PackageResources.rebuild_js),
    PageFile("parts/ring.js", PackageResources.ring_js),
    PageFile("parts/rule-fields.js", PackageResources.rule_fields_js),
    PageFile("parts/schedule-fields.js", PackageResources.schedule_fields_js),
    PageFile("parts/sign-out.js", PackageResources.sign_out_js),
    PageFile("parts/strength-chart.js", PackageResources.strength_chart_js),
    PageFile("parts/times-field.js", PackageResources.times_field_js),
    PageFile("parts/week-strip.js", PackageResources.week_strip_js),
  ]

  /// One for each entry of the navigation, and those that they open.
  private static let views = [
    PageFile("views/coming.js", PackageResources.coming_js),
    PageFile("views/devices.js", PackageResources.devices_js),
    PageFile("views/habit-form.js", PackageResources.habit_form_js),
    PageFile("views/habit.js", PackageResources.habit_js),
    PageFile("views/habits.js", PackageResources.habits_js),
    PageFile("views/history.js", PackageResources.history_js),
    PageFile("views/invitation.js", PackageResources.invitation_js),
    PageFile("views/log.js", PackageResources.log_js),
    PageFile("views/today.js", PackageResources.today_js),
  ]
}
#endif
