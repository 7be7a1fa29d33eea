//! What people do with their accounts once they are signed in, and operators with those of others.

use kaisatsu_model::{AccountId, AccountState, Email, Password, Registration, Role};
use kaisatsu_store::{Account, AccountChange, Belongings, SessionRow, SignedIn, StoreError};

use super::{AccountError, Accounts, digest};

impl Accounts {
    /// Whether there is any account.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn any(&self) -> Result<bool, StoreError> {
        self.store.has_accounts().await
    }

    /// Ends the session of somebody who is signed in.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn sign_out(&self, me: &SignedIn) -> Result<(), StoreError> {
        self.store.end_session(&me.account.id, me.session, self.clock.now()).await
    }

    /// The sessions of somebody who is signed in, the last seen first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn sessions(&self, me: &SignedIn) -> Result<Vec<SessionRow>, StoreError> {
        self.store.sessions(&me.account.id, self.clock.now()).await
    }

    /// Ends all other sessions.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn sign_out_elsewhere(&self, me: &SignedIn) -> Result<(), StoreError> {
        self.store.end_other_sessions(&me.account.id, me.session, self.clock.now()).await
    }

    /// Changes the password of somebody who knows the present one; all other sessions end.
    ///
    /// # Errors
    /// When the present one is wrong or the new one not good enough.
    pub async fn change_password(&self, me: &SignedIn, current: &str, new: &str) -> Result<(), AccountError> {
        self.prove(me, current).await?;
        let email = Email::new(&me.account.email).map_err(AccountError::Email)?;
        let new = Password::new(new, &email).map_err(AccountError::Password)?;
        let hash = self.hashing.hash(&new).await?;
        Ok(self.store.set_password(&me.account.id, &hash, Some(me.session), self.clock.now()).await?)
    }

    /// What goes with each application when the account is deleted.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn belongings(&self, account: &AccountId) -> Result<Vec<Belongings>, StoreError> {
        let mut all = Vec::new();
        for owned in self.store.owned_applications(Some(account)).await? {
            all.extend(self.store.belongings(&owned.application.id).await?);
        }
        Ok(all)
    }

    /// Deletes the account of somebody who knows its password, with everything it owns.
    ///
    /// # Errors
    /// When the password is wrong, or this is the last operator.
    pub async fn delete(&self, me: &SignedIn, password: &str) -> Result<(), AccountError> {
        self.prove(me, password).await?;
        Ok(self.store.delete_account(&me.account.id, self.clock.now()).await?)
    }

    /// A wrong password counts as a sign-in that failed: who sits at somebody else's screen may not guess forever either.
    async fn prove(&self, me: &SignedIn, password: &str) -> Result<(), AccountError> {
        let subject = digest(&me.account.email);
        self.count(subject, super::FAILURES).await?;
        let hash = self.store.password_of(&me.account.id).await?;
        if !self.hashing.matches(password, Some(hash)).await? {
            return Err(AccountError::Wrong);
        }
        Ok(self.store.forgive_sign_in(subject).await?)
    }

    /// All accounts, oldest first, each with the number of its applications.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn all(&self) -> Result<Vec<(Account, i64)>, StoreError> {
        self.store.accounts().await
    }

    /// The account of that id, if there is one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn find(&self, id: &AccountId) -> Result<Option<Account>, StoreError> {
        self.store.account(id).await
    }

    /// Approves, switches on or off, or changes what a person may do.
    ///
    /// # Errors
    /// When there is no such account, or nobody would be left to run the server.
    pub async fn change(
        &self,
        id: &AccountId,
        state: Option<AccountState>,
        role: Option<Role>,
    ) -> Result<Account, StoreError> {
        self.store.change_account(id, AccountChange { state, role }, self.clock.now()).await
    }

    /// Deletes the account of somebody else, with everything it owns.
    ///
    /// # Errors
    /// When there is no such account, or nobody would be left to run the server.
    pub async fn remove(&self, id: &AccountId) -> Result<(), StoreError> {
        self.store.delete_account(id, self.clock.now()).await
    }

    /// Who may register.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn registration(&self) -> Result<Registration, StoreError> {
        self.store.registration().await
    }

    /// Changes who may register.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn set_registration(&self, registration: Registration) -> Result<(), StoreError> {
        self.store.set_registration(registration).await
    }
}
