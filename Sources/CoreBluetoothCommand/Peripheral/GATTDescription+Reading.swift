// Reads a description. Malformed JSON, unknown keys and impossible descriptions are refused with their place.

import CommandLineTool
import Foundation

extension GATTDescription {
    /// The longest time, in seconds, that an answer may wait: a peer gives up after 30 s (Vol 3, Part F, 3.3.3).
    static let delayLimit = 60.0

    /// Reads a file.
    static func read(_ path: String) throws -> GATTDescription {
        try GATTDescription(json: InputFile.read(path), from: path)
    }

    /// Reads the content of a file.
    init(json: Data, from path: String) throws {
        func failure(_ line: String) -> Failure {
            Failure("\(path): \(line); corebluetooth advertise --help has an example")
        }
        let object: Any
        do {
            object = try JSONSerialization.jsonObject(with: json, options: .fragmentsAllowed)
        } catch {
            throw failure(Self.syntaxError(error, in: json))
        }
        if let problem = Self.keys.unknownKey(in: object) { throw failure(problem.line(in: json)) }
        do {
            self = try JSONDecoder().decode(GATTDescription.self, from: json)
        } catch let error as DecodingError {
            throw failure(DescriptionProblem(error).line(in: json))
        }
        if let problem { throw failure(problem.line(in: json)) }
    }

    /// Where and why the JSON is malformed.
    private static func syntaxError(_ error: any Error, in json: Data) -> String {
        // Such as "Invalid value around character 12.", which counts octets.
        let text = (error as NSError).userInfo[NSDebugDescriptionErrorKey] as? String ?? ""
        let parts = text.components(separatedBy: " around character ")
        guard parts.count == 2, let offset = Int(parts[1].prefix { $0.isNumber }) else {
            let end = JSONPlaces.position(json.count, in: json)
            return "this is not JSON: it ends in line \(end), where more has to come"
        }
        return "this is not JSON: \(parts[0].lowercased()) in line \(JSONPlaces.position(offset, in: json))"
    }

    /// Problems between parts that are valid by themselves.
    private var problem: DescriptionProblem? {
        if let problem = advertisingProblem { return problem }
        let uuids = services.map(\.uuid.uuid)
        for (index, service) in services.enumerated() {
            let place = "services[\(index)]"
            for (number, included) in (service.includes ?? []).enumerated()
            where !uuids.prefix(index).contains(included.uuid) {
                return DescriptionProblem(
                    place: "\(place).includes[\(number)]",
                    text: "\(place).includes: \(included.uuid) has to stand before it"
                )
            }
            for (number, characteristic) in (service.characteristics ?? []).enumerated() {
                if let problem = characteristic.problem("\(place).characteristics[\(number)]") { return problem }
            }
        }
        return nil
    }
}

extension GATTDescription.Characteristic {
    /// Such problems of a characteristic.
    fileprivate func problem(_ place: String) -> DescriptionProblem? {
        func problem(_ key: String, _ text: String) -> DescriptionProblem {
            DescriptionProblem(place: "\(place).\(key)", text: "\(place)\(text)")
        }
        let canNotify = properties.contains { $0 == .notify || $0 == .indicate }
        if properties.isEmpty { return problem("properties", ".properties is empty") }
        if notifications?.isEmpty == false, !canNotify {
            return problem("notifications", ".notifications needs the property notify or indicate")
        }
        if let text = recordingProblem { return DescriptionProblem(place: place, text: "\(place)\(text)") }
        if let every = notifyEvery {
            guard canNotify else {
                return problem("notifyEvery", ".notifyEvery needs the property notify or indicate")
            }
            guard every > 0, every <= Deadline.longest else {
                let limit = Int(Deadline.longest)
                return problem("notifyEvery", ".notifyEvery is a number of seconds above 0, up to \(limit)")
            }
        }
        if let delay, !(delay >= 0 && delay <= GATTDescription.delayLimit) {
            let limit = Int(GATTDescription.delayLimit)
            return problem("delay", ".delay is a number of seconds from 0 to \(limit)")
        }
        if value != nil, values != nil {
            return problem("values", " has both value and values; one of them is enough")
        }
        if values?.isEmpty == true { return problem("values", ".values is empty") }
        let limit = GATTDescription.Value.limit
        func long(_ count: Int) -> String { " has a value of \(count) octets; \(limit) are the limit" }
        if let value, value.data.count > limit { return problem("value", long(value.data.count)) }
        for (number, value) in (values ?? []).enumerated() where value.data.count > limit {
            return problem("values[\(number)]", long(value.data.count))
        }
        return nil
    }
}
