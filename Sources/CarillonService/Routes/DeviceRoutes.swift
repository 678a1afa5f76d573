#if Service
import Carillon
import CarillonDocuments
import CarillonModel
import CarillonWire
import HTTPTypes
import Hummingbird

extension StoreRouter {
  /// Adds the routes of this device's permission and switches.
  func addDevice() {
    on(.get, "permission") { asked in
      Answer(try await PermissionDocument(asked.store, asked.time).json)
    }
    on(.put, "permission") { asked in
      var document = try await asked.document()
      var members = JSONObject()
      for name in ["status", "options"] { members[name] = document.take(name) }
      try document.finish()
      let permission = try PermissionChanged(json: members, as: "a permission").permission
      return Answer(try await asked.store.setPermission(permission))
    }
    on(.put, "alerts") { asked in
      var document = try await asked.document()
      let isOn = try document.bool("alerts")
      let (badge, sound) = (try document.bool("badge"), try document.bool("sound"))
      try document.finish()
      guard isOn != nil || badge != nil || sound != nil else {
        throw Problem.malformed("no switch is given", hint: "give alerts, badge or sound")
      }
      return Answer(try await asked.store.setAlerts(isOn, badge: badge, sound: sound))
    }
  }
}
#endif
