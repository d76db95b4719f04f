// What the discoveries of `CBPeripheral` have in common: what is cached of the peer's database is not asked for, what
// the peer answers is learned for all apps, and what an app is shown of it is noted for that app.

import BluetoothHost

/// A procedure that discovers services, characteristics or descriptors.
protocol AttributeDiscovery: PeripheralProcedure where Answer == Request.Output {
    /// What is asked of the peer.
    var request: Request { get }

    /// The attributes that a database has; `nil` where they are not known.
    func known(in database: RemoteDatabase) -> Answer?

    /// Takes the attributes that the peer has into its database.
    func learn(_ found: Answer, in database: inout RemoteDatabase)

    /// Notes what the app is shown of the attributes, and returns it.
    func show(_ found: Answer, for connection: PeripheralConnection) -> Answer
}

extension AttributeDiscovery {
    func begin(for connection: PeripheralConnection) -> ProcedureStep<Request, Answer> {
        guard let known = connection.peer.cachedDatabase.flatMap(self.known) else { return .ask(self.request) }
        return .answer(.success(self.show(known, for: connection)))
    }

    func answer(
        _ result: Result<Answer, GATTError>,
        for connection: PeripheralConnection
    ) -> Result<Answer, GATTError> {
        result.map { found in
            connection.learn { self.learn(found, in: &$0) }
            return self.show(found, for: connection)
        }
    }
}
