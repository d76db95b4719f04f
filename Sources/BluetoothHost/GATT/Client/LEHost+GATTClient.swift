// The host's GATT client for the user: procedures and write commands, in the order in which they were asked for.

import BluetoothTypes
public import NIOCore

extension LEHost {
    /// The ATT MTU of a link; 23 until it was exchanged.
    public func mtu(of link: LinkID) -> Int { self.openLinks[link]?.bearer.mtu ?? ATT.defaultMTU }

    // MARK: Procedures

    /// Runs a GATT procedure on a link, after everything that was asked for before.
    /// - Parameters:
    ///   - procedure: What to do, such as ``ReadValue`` or ``DiscoverPrimaryServices``.
    ///   - link: The link. Where there is none, the procedure ends with ``GATTError/notConnected``.
    ///   - completion: Called once with the result, on the host's loop and never from inside this call; not called
    ///   after
    ///     ``cancel(_:on:)``.
    /// - Returns: What ``cancel(_:on:)`` takes.
    @inlinable
    @discardableResult
    public func perform<Procedure: GATTProcedure>(
        _ procedure: Procedure,
        on link: LinkID,
        completion: @escaping (Result<Procedure.Output, GATTError>) -> Void
    ) -> GATTProcedureID {
        self.perform(OwnedProcedure(procedure, id: self.makeProcedureID(), completion: completion), on: link)
    }

    /// Runs a GATT procedure that is made when its turn comes, when the results of everything before it are known.
    /// - Parameters:
    ///   - link: The link. Where there is none, the procedure ends with ``GATTError/notConnected``.
    ///   - make: Called at most once. `nil` means that nothing is to be asked: `completion` is not called, and the next
    ///     one begins.
    ///   - completion: As in ``perform(_:on:completion:)``.
    /// - Returns: What ``cancel(_:on:)`` takes.
    @inlinable
    @discardableResult
    public func perform<Procedure: GATTProcedure>(
        on link: LinkID,
        whenItsTurnComes make: @escaping () -> Procedure?,
        completion: @escaping (Result<Procedure.Output, GATTError>) -> Void
    ) -> GATTProcedureID {
        self.perform(OwnedProcedure(id: self.makeProcedureID(), make: make, completion: completion), on: link)
    }

    /// Runs a GATT procedure that is made when its turn comes before everything that waits: one that the server has
    /// answered with Database Out Of Sync and that is repeated (Vol 3, Part G, 2.5.2.1).
    ///
    /// The parameters and the result are those of ``perform(on:whenItsTurnComes:completion:)``. Asked for in the
    /// completion of the procedure that has failed, it stands behind the validation that
    /// ``LEHostDelegate/host(_:didFindDatabaseOutOfSyncOn:)`` asks for.
    @inlinable
    @discardableResult
    public func performNext<Procedure: GATTProcedure>(
        on link: LinkID,
        whenItsTurnComes make: @escaping () -> Procedure?,
        completion: @escaping (Result<Procedure.Output, GATTError>) -> Void
    ) -> GATTProcedureID {
        self.perform(
            OwnedProcedure(id: self.makeProcedureID(), make: make, completion: completion),
            on: link,
            isNext: true
        )
    }

    @usableFromInline
    func perform(_ procedure: OwnedProcedure, on link: LinkID, isNext: Bool = false) -> GATTProcedureID {
        self.assertOnEventLoop()
        guard let link = self.openLinks[link] else {
            procedure.fail(.notConnected)
            self.afterwards { procedure.report() }
            return procedure.id
        }
        if isNext {
            link.bearer.performNext(procedure, into: &link.bearerActions)
        } else {
            link.bearer.perform(procedure, into: &link.bearerActions)
        }
        self.noteWork(link)
        return procedure.id
    }

    /// Takes a procedure that waits out of the queue. One that runs goes on, and its result is not reported.
    public func cancel(_ procedure: GATTProcedureID, on link: LinkID) {
        self.assertOnEventLoop()
        guard let link = self.openLinks[link] else { return }
        link.bearer.cancel(procedure)
        self.noteWork(link)
    }

    @usableFromInline
    func makeProcedureID() -> GATTProcedureID {
        defer { self.nextProcedureNumber += 1 }
        return GATTProcedureID(rawValue: self.nextProcedureNumber)
    }

    // MARK: Write commands

    /// Sends a Write Command of at most MTU - 3 octets after everything that was asked for before. It may leave while
    /// the answer to a request is awaited, unless the procedure is an exclusive one.
    ///
    /// While the link is there each call ends in one count of ``LEHostDelegate/host(_:link:didTransmit:for:)`` for its
    /// token.
    public func writeWithoutResponse(
        _ value: consuming ByteBuffer,
        to handle: AttributeHandle,
        on link: LinkID,
        token: TransmitToken = .standard
    ) {
        self.assertOnEventLoop()
        guard let link = self.openLinks[link] else { return }
        link.bearer.writeCommand(handle, value, token, into: &link.bearerActions)
        self.noteWork(link)
    }

    /// Takes the Write Commands to these handles that wait out of the queue; they are counted as if they had left.
    public func cancelWritesWithoutResponse(to handles: AttributeHandleRange, on link: LinkID) {
        self.assertOnEventLoop()
        guard let link = self.openLinks[link] else { return }
        link.bearer.dropCommands(to: handles, into: &link.bearerActions)
        self.noteWork(link)
    }

    // MARK: The cached database

    /// Validates once more what is cached of the server's database, before everything that waits. On a link that was
    /// opened as central the host has done so by itself.
    ///
    /// Where a database was validated on this link before, its Database Hash is read and nothing else, unless it is
    /// another one. Otherwise the delegate is asked for the cached database when the turn comes. It is given the
    /// result. A validation that has not ended yet is replaced by this one.
    public func validateDatabaseCache(on link: LinkID) {
        self.assertOnEventLoop()
        guard let link = self.openLinks[link] else { return }
        self.validateDatabaseCache(on: link)
        self.noteWork(link)
    }

    /// Has what was learned of the server's database found out anew, since the link has become more secure: before
    /// that, another device may have answered, or changed the answers. The request that was refused because the link
    /// was not secure ends as if the server had answered Database Out Of Sync, and so does the delegate hear of it.
    /// - Returns: False if the server was not asked anything on this link, so that nothing was learned.
    public func distrustDatabase(on link: LinkID) -> Bool {
        self.assertOnEventLoop()
        guard let link = self.openLinks[link], link.bearer.client.hasAsked else { return false }
        link.bearer.distrustDatabase(now: self.eventLoop.now, into: &link.bearerActions)
        self.noteWork(link)
        return true
    }

    func validateDatabaseCache(on link: HostLink) {
        if let earlier = link.validation { link.bearer.cancel(earlier) }
        let id = self.makeProcedureID()
        link.validation = id
        let procedure = OwnedProcedure(
            id: id,
            makeFinding: { [unowned self, unowned link] in
                link.bearer.client.validatedDatabase.map(ValidateDatabaseCache.init(validated:))
                    ?? ValidateDatabaseCache(cached: self.delegate?.host(self, cachedDatabaseAt: link.information))
            },
            completion: { [unowned self, unowned link] result in
                guard link.isOpen else { return }
                link.validation = nil
                let validation = (try? result.get()) ?? .noDatabaseHash
                link.bearer.client.validatedDatabase = validation.database
                self.delegate?.host(self, link: link.id, didValidateDatabaseCache: validation)
            }
        )
        link.bearer.performNext(procedure, into: &link.bearerActions)
    }
}
