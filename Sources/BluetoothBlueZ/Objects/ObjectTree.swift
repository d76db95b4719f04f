// BlueZ's objects on the bus, by their paths, each with its interfaces and their properties. They come from another
// program, and much of their content from devices that anybody may build: values of a wrong type are ignored, and the
// length of values and the number of objects are limited.

import NIOCore

/// The objects of BlueZ.
struct ObjectTree {
    typealias Properties = [String: BusValue]
    typealias Interfaces = [String: Properties]

    /// More objects than this are ignored: a device has one for itself and one for each of its attributes.
    static let objectLimit = 16_384
    /// Longer texts, byte arrays and lists are left out; the longest that makes sense is an advertisement's list of
    /// UUIDs.
    static let valueLimit = 4_096

    private(set) var objects: [String: Interfaces] = [:]

    /// Takes the answer of GetManagedObjects (`a{oa{sa{sv}}}`) in place of what was known.
    mutating func replace(by answer: [BusValue]) {
        self.objects = [:]
        for (path, interfaces) in answer.first?.entries ?? [] {
            if let path = path.path { self.add(path, interfaces) }
        }
    }

    /// Takes InterfacesAdded (`oa{sa{sv}}`); returns the path, or `nil` if the arguments make no sense.
    @discardableResult
    mutating func added(_ arguments: [BusValue]) -> String? {
        guard arguments.count >= 2, let path = arguments[0].path else { return nil }
        self.add(path, arguments[1])
        return self.objects[path] == nil ? nil : path
    }

    /// Takes InterfacesRemoved (`oas`); returns the path.
    @discardableResult
    mutating func removed(_ arguments: [BusValue]) -> String? {
        guard arguments.count >= 2, let path = arguments[0].path, let names = arguments[1].strings else { return nil }
        for name in names { self.objects[path]?[name] = nil }
        if self.objects[path]?.isEmpty ?? false { self.objects[path] = nil }
        return path
    }

    /// Takes PropertiesChanged (`sa{sv}as`) of the object at a path; returns the interface and what changed, without
    /// the values of attributes, which are no part of the tree.
    mutating func changed(_ path: String, _ arguments: [BusValue]) -> (interface: String, properties: Properties)? {
        guard arguments.count >= 2, let interface = arguments[0].string, let changes = arguments[1].dictionary else {
            return nil
        }
        guard self.objects[path]?[interface] != nil else { return (interface, changes) }
        for (name, value) in changes { self.set(value, name, interface, path) }
        for name in arguments.count > 2 ? arguments[2].strings ?? [] : [] {
            self.objects[path]?[interface]?[name] = nil
        }
        return (interface, changes)
    }

    /// Takes the answer of GetAll (`a{sv}`) for an interface of a known object.
    mutating func read(_ answer: [BusValue], of path: String, _ interface: String) {
        guard self.objects[path]?[interface] != nil, let properties = answer.first?.dictionary else { return }
        for (name, value) in properties { self.set(value, name, interface, path) }
    }

    /// The properties of an interface; `nil` if the object does not have it.
    func properties(_ path: String, _ interface: String) -> Properties? { self.objects[path]?[interface] }

    /// The paths of all objects with an interface, in order.
    func paths(with interface: String) -> [String] {
        self.objects.filter { $0.value[interface] != nil }.keys.sorted()
    }

    private mutating func add(_ path: String, _ interfaces: BusValue) {
        guard path.hasPrefix("/org/bluez/") || path == "/org/bluez",
            self.objects[path] != nil || self.objects.count < Self.objectLimit
        else { return }
        for (name, properties) in interfaces.dictionary ?? [:] where name.hasPrefix("org.bluez.") {
            self.objects[path, default: [:]][name] = [:]
            for (property, value) in properties.dictionary ?? [:] { self.set(value, property, name, path) }
        }
    }

    private mutating func set(_ value: BusValue, _ name: String, _ interface: String, _ path: String) {
        // An attribute's value has its own way, and an old one is of no use.
        if name == "Value", interface != BlueZ.device { return }
        self.objects[path]?[interface]?[name] = value.isWithinLimits ? value : nil
    }
}

extension BusValue {
    /// Whether the value, and each in it, is short enough to be kept.
    fileprivate var isWithinLimits: Bool {
        switch self {
        case .byte, .boolean, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double, .descriptor: true
        case .string(let text), .path(let text), .signature(let text): text.utf8.count <= ObjectTree.valueLimit
        case .bytes(let bytes): bytes.readableBytes <= ObjectTree.valueLimit
        case .array(_, let values):
            values.count <= ObjectTree.valueLimit / 16 && values.allSatisfy(\.isWithinLimits)
        case .structure(let values): values.allSatisfy(\.isWithinLimits)
        case .entry(let key, let value): key.isWithinLimits && value.isWithinLimits
        case .variant(let value): value.isWithinLimits
        }
    }
}
