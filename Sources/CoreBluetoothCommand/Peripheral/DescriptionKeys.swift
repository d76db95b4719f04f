// The keys that the objects of a description may have. The value of an unknown key would be ignored without
// notice.

import CommandLineTool
import Foundation

/// The keys that are valid at a place of a description.
indirect enum DescriptionKeys: Sendable {
    /// A value without keys, or one whose reader checks them itself.
    case none
    /// A list of these.
    case list(DescriptionKeys)
    /// An object with these keys.
    case object([(key: String, inner: DescriptionKeys)])

    /// An object with all keys of a type, and the given contents for some of them.
    static func keys<Key: CodingKey & CaseIterable & Hashable>(
        _: Key.Type,
        _ inner: [Key: DescriptionKeys] = [:]
    ) -> Self {
        .object(Key.allCases.map { ($0.stringValue, inner[$0] ?? .none) })
    }

    /// The first unknown key, in the order of places.
    ///
    /// - Parameters:
    ///   - json: What `JSONSerialization` has read.
    ///   - place: Its path.
    func unknownKey(in json: Any, at place: String = "") -> DescriptionProblem? {
        switch self {
        case .none: return nil
        case .list(let element):
            for (index, item) in (json as? [Any] ?? []).enumerated() {
                if let problem = element.unknownKey(in: item, at: "\(place)[\(index)]") { return problem }
            }
            return nil
        case .object(let keys):
            guard let object = json as? [String: Any] else { return nil }
            let names = keys.map(\.key)
            if let key = object.keys.filter({ !names.contains($0) }).min() {
                let text =
                    "the key \"\(key)\" has no meaning; here are \(names.joined(separator: ", "))"
                    + CommandSuggestion.suffix(for: key, among: names)
                return DescriptionProblem(
                    place: DescriptionProblem.place(place, key),
                    text: place.isEmpty ? text : "\(place): \(text)"
                )
            }
            for (key, inner) in keys {
                guard let value = object[key] else { continue }
                let place = DescriptionProblem.place(place, key)
                if let problem = inner.unknownKey(in: value, at: place) { return problem }
            }
            return nil
        }
    }
}

extension GATTDescription {
    /// The keys of a description.
    static let keys: DescriptionKeys = {
        let value = DescriptionKeys.keys(Value.CodingKeys.self)
        let timed = DescriptionKeys.keys(Timed.CodingKeys.self, [.value: value])
        let reply = DescriptionKeys.keys(Reply.CodingKeys.self, [.written: value, .notifications: .list(timed)])
        let characteristic = DescriptionKeys.keys(
            Characteristic.CodingKeys.self,
            [
                .value: value, .values: .list(value), .format: value, .security: .keys(Security.CodingKeys.self),
                .reads: .list(value), .notifications: .list(timed), .answers: .list(reply),
            ]
        )
        let service = DescriptionKeys.keys(Service.CodingKeys.self, [.characteristics: .list(characteristic)])
        return .keys(
            CodingKeys.self,
            [
                .manufacturerData: value, .serviceData: .list(.keys(ServiceData.CodingKeys.self, [.value: value])),
                .services: .list(service),
                .channels: .list(.keys(Channel.CodingKeys.self)),
            ]
        )
    }()
}
